// Requests by way of Node's HTTP server, over a real connection: what is answered early, and how errors look.
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Receiving, RequestRoom, Unsent } from '@sbx/serving';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ServerContext } from '../../../judge/run-job.js';
import { serveRequest } from './adapter.js';

let server: Server;
let refusal: 0 | 401 | 403;
let receiving: Receiving;
let strict: boolean;
let pattern: string;
beforeAll(async () => {
  server = createServer(async (incoming, response) => {
    const settings = { advertiseVersion: 'v1', bodyMaxBytes: 5, cmdCountMax: 1, strict };
    const room = new RequestRoom({ bytesMax: 1000, waitingMax: 1 });
    const context = { settings, receiving, room, unsent: new Unsent(1000) } as unknown as ServerContext;
    pattern = await serveRequest(context, () => refusal, incoming, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  refusal = 0;
  strict = false;
  receiving = new Receiving(1000);
});

async function ask(method: string, path: string, body = '') {
  const { port } = server.address() as AddressInfo;
  const headers = { Connection: 'keep-alive' };
  const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: false }).end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

test('a request is answered by its handler, and its pattern is told', async () => {
  const { status, text } = await ask('GET', '/version');
  expect([status, JSON.parse(text).buildVersion, pattern]).toEqual([200, 'v1', '/version']);
  expect((await ask('GET', '/nothing')).status).toBe(404);
});

test('who may not enter is refused', async () => {
  refusal = 401;
  expect((await ask('POST', '/run', '{}')).status).toBe(401);
});

test('what a client has done wrong is 400 with the reason', async () => {
  const { status, text } = await ask('POST', '/run', '{}');
  expect([status, JSON.parse(text)]).toEqual([400, 'no cmd provided']);
});

test('a body that is too large is answered before it has come, and ends the connection', async () => {
  const { status, headers, text } = await ask('POST', '/run', 'x'.repeat(50));
  expect([status, JSON.parse(text)]).toEqual([400, 'request body is larger than 5 bytes']);
  expect(headers.connection).toBe('close');
  expect(receiving.bytes).toBe(0);
});

test.each([
  [false, '1'],
  [true, undefined],
])('without room for the body it says when to come again, but as go-judge (%j)', async (isStrict, after) => {
  strict = isStrict;
  receiving = new Receiving(1);
  const { status, headers } = await ask('POST', '/run', '{}');
  expect([status, headers['retry-after'], headers.connection]).toEqual([500, after, 'close']);
});

test('a defect of ours is told as such, without its text', async () => {
  const { status, text } = await ask('DELETE', '/file/ABC'); // there is no store
  expect([status, JSON.parse(text)]).toEqual([500, 'internal error']);
});
