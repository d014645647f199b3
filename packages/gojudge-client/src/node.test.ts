import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { GojudgeClient as ClientForPages } from './client.js';
import { serve } from './fake-server.js';
import { GojudgeClient } from './node.js';

const ACCEPTED = '[{"status":"Accepted","exitStatus":0,"time":1500000,"memory":4096,"runTime":2000000}]';
const RUN = { args: ['x'] };

it('sends requests in the units of the wire, with the token', async () => {
  let seen: { auth?: string | undefined; body?: Record<string, unknown> } = {};
  const { url } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen = { auth: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) };
      response.end(ACCEPTED);
    });
  });
  const outcome = await new GojudgeClient({ url, token: 't' }).run({ ...RUN, limits: { cpuTimeMs: 2 } });
  expect(seen.auth).toBe('Bearer t');
  expect(seen.body).toMatchObject({ cmd: [{ cpuLimit: 2_000_000, clockLimit: 6_000_000, procLimit: 64 }] });
  expect(outcome.figures).toEqual({
    cpuTimeMs: 1.5,
    wallTimeMs: 2,
    memoryBytes: 4096,
    processPeakCount: null,
  });
});

it.each([
  ['by undici', GojudgeClient],
  ['by the global fetch, as in browsers', ClientForPages],
])('sends a token beyond ASCII as UTF-8, %s', async (_, Client) => {
  let seen = '';
  const { url } = await serve((request, response) => {
    seen = Buffer.from(request.headers.authorization ?? '', 'latin1').toString();
    response.end('{}');
  });
  expect(await new Client({ url, token: 'clé ключ' }).list()).toEqual({});
  expect(seen).toBe('Bearer clé ключ');
});

/** Counts requests, and answers with what `reply` does. */
async function counting(reply: (count: number, response: Parameters<RequestListener>[1]) => void) {
  let count = 0;
  const { url } = await serve((request, response) => {
    request.resume();
    request.on('end', () => reply(++count, response));
  });
  return { client: new GojudgeClient({ url, backoffMs: 1 }), count: () => count };
}

it('tries again what an overloaded server refused', async () => {
  const { client, count } = await counting((at, response) => {
    if (at < 3) response.writeHead(500).end('"worker queue is full"');
    else response.end(ACCEPTED);
  });
  expect((await client.run(RUN)).ok).toBe(true);
  expect(count()).toBe(3);
});

it('waits as long as it is told to, and abort ends the wait', async () => {
  const { client } = await counting((_at, response) => {
    response.writeHead(500, { 'retry-after': '60' }).end('"worker queue is full"');
  });
  const startedAt = performance.now();
  await expect(client.run(RUN, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

it('a run whose connection broke is not tried again, a listing is', async () => {
  const broken = await counting((at, response) => {
    if (at === 1) response.socket!.destroy();
    else response.end('{}');
  });
  await expect(broken.client.run(RUN)).rejects.toMatchObject({ code: 'GOJUDGE_CONNECTION', retryable: true });
  expect(broken.count()).toBe(1);
  const half = await counting((at, response) => {
    response.writeHead(200, { 'content-length': 2 });
    if (at === 1) response.write('{', () => response.socket!.destroy());
    else response.end('{}');
  });
  expect(await half.client.list()).toEqual({});
  expect(half.count()).toBe(2);
});

it('what the server refused stays refused', async () => {
  const { client, count } = await counting((_at, response) => response.writeHead(400).end('"no"'));
  await expect(client.run(RUN)).rejects.toMatchObject({
    code: 'GOJUDGE_REQUEST',
    status: 400,
    message: 'no',
  });
  expect(count()).toBe(1);
});

it.each([
  [
    502,
    '<html><head><title>502 Bad Gateway</title></head><body>…',
    'HTTP 502: a web page, not go-judge, answered: 502 Bad Gateway',
  ],
  [404, '<!DOCTYPE html>\n<p>nothing', 'HTTP 404: a web page, not go-judge, answered'],
  [500, 'no\n', 'no'],
  [503, '', 'HTTP 503'],
])('an answer of %i is told as text', async (status, body, message) => {
  const { client } = await counting((_at, response) => response.writeHead(status).end(body));
  await expect(client.run(RUN)).rejects.toMatchObject({ status, message });
});

it('another service on the port is told as such, by its address', async () => {
  const { client } = await counting((_at, response) => response.writeHead(404).end('not found\n'));
  const message = expect.stringMatching(
    /^http:.*\/run is not there \(not found\); is it a go-judge server\?$/,
  );
  await expect(client.run(RUN)).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL', status: 404, message });
});

it('a stored file that is not there is named', async () => {
  const { client } = await counting((_at, response) => response.writeHead(404).end());
  const message = expect.stringMatching(/^http:.*\/file\/GONE is not there\.$/);
  await expect(client.download('GONE')).rejects.toMatchObject({ code: 'GOJUDGE_NOT_FOUND', message });
});

it.each(['[{"status":1}]', '{', ''])('%j is none of its answers', async (body) => {
  const { client } = await counting((_at, response) => response.end(body));
  await expect(client.run(RUN)).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

it('tells a server that is not there, over sockets too', async () => {
  const { server, url } = await serve(() => undefined);
  server.close();
  const client = new GojudgeClient({ url, retries: 0 });
  const missing = { code: 'GOJUDGE_CONNECTION', retryable: true };
  await expect(client.list()).rejects.toMatchObject(missing);
  await expect(client.connect()).rejects.toMatchObject(missing);
  await expect(client.interact(RUN)).rejects.toMatchObject(missing);
});

it('one run that fails stops the others of runMany, and what they left is deleted', async () => {
  const deleted: string[] = [];
  const { url } = await serve((request, response) => {
    if (request.method === 'DELETE') deleted.push(request.url!);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (request.method === 'DELETE') response.end();
      else if (body.includes('"bad"')) setTimeout(() => response.writeHead(500).end('"broken"'), 50);
      else if (body.includes('"good"')) response.end(ACCEPTED.replace('}]', ',"fileIds":{"a":"ID"}}]'));
    });
  });
  const runs = ['good', 'bad', 'hangs', 'never'].map((name) => ({ args: [name] }));
  const client = new GojudgeClient({ url });
  await expect(client.runMany(runs.slice(0, 3), { concurrency: 3 })).rejects.toThrow('broken');
  expect(deleted).toEqual(['/file/ID']);
});

it('names a feature that an old server lacks', async () => {
  const { url } = await serve((_request, response) => {
    response.end(
      '{"buildVersion":"v1.5.0","os":"linux","platform":"amd64","copyOutOptional":true,"pipeProxy":true}',
    );
  });
  const client = new GojudgeClient({ url });
  expect(await client.supports('stream')).toBe(false);
  await client.require('pipeProxy');
  const lacks = { code: 'GOJUDGE_UNSUPPORTED', message: expect.stringContaining('lacks: stream, symlink') };
  await expect(client.require('pipeProxy', 'stream', 'symlink')).rejects.toMatchObject(lacks);
});
