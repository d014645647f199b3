// Everything that sbx speaks, inside a web application of yours: its routes stay, ours answer beside them.
import { createServer as createHttpServer } from 'node:http';
import { FathomClient } from '@sbx/fathom-client';
import { createServer } from '@sbx/server';
import express from 'express';
import Fastify from 'fastify';

const sbx = await createServer({ protocols: ['gojudge', 'fathom'], fathom: { standby: {} } });

const app = express();
app.use(sbx.handler);
app.get('/hello', (_request, response) => response.send('hello from Express'));

const fastify = Fastify({
  serverFactory: (handler) =>
    createHttpServer((request, response) => sbx.handler(request, response, () => handler(request, response))),
});
fastify.get('/hello', async () => 'hello from Fastify');
await fastify.ready();

for (const server of [createHttpServer(app), fastify.server]) {
  server.on('upgrade', sbx.handleUpgrade);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(await (await fetch(`${url}/hello`)).text());
  const client = new FathomClient({ url: `${url}/fathom` });
  const { stdout } = await client.execute({ language: 'python', code: 'print(6 * 7)' });
  console.log(stdout.trim());
  await client.close();
  server.close();
  server.closeAllConnections();
}
await sbx.close();
