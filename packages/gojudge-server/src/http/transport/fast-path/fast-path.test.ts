// Which requests the fast path answers, and which it leaves to Node's HTTP server, over real connections.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Receiving, Unsent } from '@sbx/serving';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerContext } from '../../../judge/run-job.js';
import type { Metrics } from '../../../metrics/metrics.js';
import { FastPath } from './fast-path.js';

let server: Server;
let fastPath: FastPath;
let client: Socket;
let text: string;
let list: () => Promise<object>;
let unsent: Unsent;
const byNode = vi.fn();
const observed = vi.fn();

beforeEach(async () => {
  vi.clearAllMocks();
  list = async () => new Map([['a', 'name']]);
  unsent = new Unsent(1000, { stallMs: 300, bytesPerMs: 1 });
  const context = {
    settings: { advertiseVersion: 'v1', bodyMaxBytes: 10, cmdCountMax: 1, strict: false },
    receiving: new Receiving(1000),
    unsent,
    store: { totals: { count: 1, nameLength: 1 }, list: () => list() },
  } as unknown as ServerContext;
  const metrics = { watchSimple: () => observed } as unknown as Metrics;
  server = createServer((request, response) => {
    byNode(request.url);
    request.resume();
    response.end('by Node');
  });
  fastPath = new FastPath(context, () => 0, metrics);
  fastPath.attach(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  text = '';
  client
    .on('error', () => undefined)
    .on('data', (data) => {
      text += data;
    });
  await once(client, 'connect');
});
afterEach(() => {
  client.destroy();
  fastPath.destroy();
  server.close();
  server.closeAllConnections();
});

const say = (line: string, fields = '', body = '') =>
  client.write(`${line} HTTP/1.1\r\nHost: x\r\n${fields}\r\n${body}`);
const heard = (what: RegExp) => expect.poll(() => text, { timeout: 10_000 }).toMatch(what);

test('a simple request is answered on the bare socket, and the next one on the same connection', async () => {
  say('GET /file');
  await heard(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: keep-alive\r\n\r\n\{"a":"name"\}$/);
  say('GET /version');
  await heard(/"buildVersion":"v1"/);
  expect(byNode).not.toHaveBeenCalled();
  await expect
    .poll(() => observed.mock.calls.map(([route, status]) => [route, status]), { timeout: 10_000 })
    .toEqual([
      ['/file', 200],
      ['/version', 200],
    ]);
});

test.each([
  ['what is in no row', 'GET /nothing', '', ''],
  ['what streams', 'GET /file/ABC', '', ''],
  ['a body that is too large', 'POST /run', 'Content-Length: 11\r\n', 'x'.repeat(11)],
  ['a body in chunks', 'POST /run', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
])('%s is left to Node', async (_, line, fields, body) => {
  say(line, fields, body);
  await heard(/by Node/);
  expect(byNode).toHaveBeenCalledOnce();
  expect(observed).not.toHaveBeenCalled();
});

test('an error of a handler is an answer like any other', async () => {
  say('POST /run', 'Content-Length: 2\r\n', '{}');
  await heard(/^HTTP\/1\.1 400 Bad Request[\s\S]*"no cmd provided"$/);
  list = () => Promise.reject(new Error('defect'));
  say('GET /file');
  await heard(/HTTP\/1\.1 500 Internal Server Error[\s\S]*"internal error"$/);
});

test('when it closes, idle connections end, and who waits gets the last answer', async () => {
  let finish: (files: object) => void = () => undefined;
  list = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  const idle = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(idle, 'connect');
  const ended = once(idle.resume(), 'close');
  const asked = vi.waitFor(() => expect(finish.length).toBe(1));
  say('GET /file');
  await asked;
  fastPath.closeIdle();
  await ended;
  const drained = fastPath.drained();
  finish(new Map());
  await drained;
  await heard(/Connection: close\r\n\r\n\{\}$/);
});

test('a client that does not read its answer is reset when others have no room, and one that does is not', async () => {
  const large = new Map(Array.from({ length: 150 }, (_, id) => [`${id}`, 'x'.repeat(100_000)]));
  list = async () => large;
  const stalled = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  await once(stalled, 'connect');
  stalled.write('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => unsent.bytes, { timeout: 10_000 }).toBeGreaterThan(15_000_000);
  await expect.poll(() => unsent.bytes, { timeout: 10_000 }).toBe(0);
  let got = 0;
  stalled.on('error', () => undefined).on('data', ({ length }) => (got += length));
  await once(stalled.resume(), 'close');
  expect(got).toBeLessThan(10_000_000);
  say('GET /file');
  await expect.poll(() => text.length, { timeout: 10_000 }).toBeGreaterThan(15_000_000);
  await expect.poll(() => unsent.bytes).toBe(0);
});

test('a connection that waits for its next request goes when the server is full', async () => {
  say('GET /version');
  await heard(/"buildVersion":"v1"/);
  server.maxConnections = 1;
  const refused = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await Promise.all([once(client, 'close'), once(refused, 'close')]);
});

test('a connection that is being answered stays when the server is full', async () => {
  let answer = (_files: object): void => undefined;
  list = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  say('GET /file');
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.maxConnections = 1;
  const refused = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await once(refused, 'close');
  answer(new Map([['a', 'name']]));
  await heard(/\{"a":"name"\}/);
});
