import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { GojudgeClient } from './node.js';

let server: ReturnType<typeof createServer> | undefined;
afterEach(() => server?.close());

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('sends requests in the units of the wire, with the token', async () => {
  let seen: { auth?: string | undefined; body?: Record<string, unknown> } = {};
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen = { auth: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) };
      response.end('[{"status":"Accepted","exitStatus":0,"time":1500000,"memory":4096,"runTime":2000000}]');
    });
  });
  const outcome = await new GojudgeClient({ url, token: 't' }).run({ args: ['x'], limits: { cpuTimeMs: 2 } });
  expect(seen.auth).toBe('Bearer t');
  expect(seen.body).toMatchObject({ cmd: [{ cpuLimit: 2_000_000, clockLimit: 6_000_000, procLimit: 1 }] });
  expect(outcome.figures).toEqual({
    cpuTimeMs: 1.5,
    wallTimeMs: 2,
    memoryBytes: 4096,
    processPeakCount: null,
  });
});

it('tries again what an overloaded server refused', async () => {
  let count = 0;
  const url = await serve((request, response) => {
    request.resume();
    count += 1;
    if (count < 3) response.writeHead(500).end('"worker queue is full"');
    else response.end('{}');
  });
  expect(await new GojudgeClient({ url, backoffMs: 1 }).list()).toEqual({});
  expect(count).toBe(3);
});

it('tells an answer that no go-judge gives', async () => {
  const url = await serve((_request, response) => response.end('[{"status":1}]'));
  const run = new GojudgeClient({ url }).run({ args: ['x'] });
  await expect(run).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

it('tells a server that is not there', async () => {
  const url = await serve(() => undefined);
  server!.close();
  await expect(new GojudgeClient({ url, retries: 0 }).list()).rejects.toMatchObject({
    code: 'GOJUDGE_CONNECTION',
    retryable: true,
  });
});
