/**
 * node host-role.mjs gojudge|http|socket|run: a process that runs what a small `/run` runs, with more or less
 * around it. `gojudge` is our server; `http` a bare `node:http` server that parses the body and answers with
 * a constant; `socket` answers with that whatever comes; `run` is only the engine, in loops. Tells its URL by
 * IPC; `run` loops when it is told `{ clients, ms }`, and tells how many.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { expectAccepted, LOADS, runRequest } from './gojudge-loads.mjs';
import { Connection } from './http-client.mjs';

const PARALLELISM = 2;

const server = await createGojudgeServer({ httpAddr: '127.0.0.1:0', parallelism: PARALLELISM });
const { engine } = server;
const [url] = (await server.listen()).urls;
const { run, answer } = await learn();

/** The call of the engine that the server makes of the request, and its answer. */
async function learn() {
  const original = engine.run;
  let call;
  engine.run = (file, args, { signal, ...options }) => {
    call = () => original.call(engine, file, args, options);
    return original.call(engine, file, args, { signal, ...options });
  };
  const connection = new Connection(url);
  const answered = await connection.send(runRequest(LOADS[0].request({})));
  connection.close();
  delete engine.run;
  expectAccepted(answered);
  return { run: call, answer: answered.body.toString() };
}

async function loop(clients, ms) {
  const end = performance.now() + ms;
  let count = 0;
  const client = async () => {
    for (; performance.now() < end; count += 1) await run();
  };
  await Promise.all(Array.from({ length: Math.min(clients, PARALLELISM) }, client));
  return count;
}

function makeHttp() {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': answer.length };
  const bare = createHttpServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      JSON.parse(Buffer.concat(chunks));
      await run(); // the engine lets so many in at once as the server has workers
      response.writeHead(200, headers);
      response.end(answer);
    });
  });
  bare.keepAliveTimeout = 0; // others have their turns meanwhile
  return bare;
}

function makeSocket() {
  const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`;
  return createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', async () => {
      await run();
      socket.write(whole);
    });
  });
}

async function listen(bare) {
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  return `http://127.0.0.1:${bare.address().port}`;
}

const BARE = { http: makeHttp, socket: makeSocket };

const [role] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ clients, ms }) => process.send({ count: await loop(clients, ms) }));
process.send({ url: role in BARE ? await listen(BARE[role]()) : url });
