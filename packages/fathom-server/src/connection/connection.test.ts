// One client over a real connection, with a runtime that starts what the test says.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { executeSchema } from '@sbx/fathom-client/schemas';
import { RequestRoom, Unsent } from '@sbx/serving';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Admission } from '../admission.js';
import { ServerMetrics } from '../metrics.js';
import { parseOptions } from '../options.js';
import { Connection, type Host } from './connection.js';
import { fieldsOf } from './request.js';

const TS = '2026-01-01T00:00:00Z';
const start = vi.fn(() => new Promise<never>(() => undefined));
let host: Host;
let server: WebSocketServer;
let connection: Connection;
let client: WebSocket;
let received: { type: string; code?: string; id?: string; load?: object }[];

beforeEach(async () => {
  start.mockClear();
  const options = { ...parseOptions({}), orphanGraceMs: 0 };
  const bounds = { places: 1, queueLength: 1, sparePlaces: 1, spareQueueLength: 1 };
  host = {
    options,
    rules: { execute: fieldsOf(executeSchema(options)), languages: new Set(['python']) },
    runtime: { start } as unknown as Host['runtime'],
    admission: new Admission({ ...bounds, sharePlaces: 1, shareQueueLength: 1 }),
    room: new RequestRoom({ bytesMax: 2 ** 20, waitingMax: 0 }),
    unsent: new Unsent(2 ** 20),
    metrics: new ServerMetrics(),
    isClosing: false,
  };
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    connection = new Connection(socket, host, 1);
  });
  await once(server, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  received = [];
  client.on('message', (data) => void received.push(JSON.parse(String(data))));
  await once(client, 'open');
});
afterEach(() => {
  client.terminate();
  server.close();
});

const say = (message: object | string) =>
  client.send(typeof message === 'string' ? message : JSON.stringify({ v: 1, ts: TS, ...message }));
const answer = async (count = 1) => {
  await expect.poll(() => received.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
  return received[count - 1]!;
};
const execute = (id: string) => ({
  type: 'execute',
  id,
  language: 'python',
  code: '1',
  limits: { timeout_ms: 1000, memory_mb: 64, max_output_bytes: 1000 },
});

it('what is not taken counts among that of all connections, until it is', async () => {
  client.pause();
  const askMuch = () => {
    for (let count = 0; count < 1000; count += 1) say({ type: 'ping', id: 'x'.repeat(64) });
    return host.unsent.bytes;
  };
  await expect.poll(askMuch, { timeout: 20_000, interval: 1 }).toBeGreaterThan(0);
  client.resume();
  await expect.poll(() => host.unsent.bytes, { timeout: 20_000 }).toBe(0);
});

it('an execution has its room until it is gone, and is refused where there is none', async () => {
  let fail!: (error: Error) => void;
  start.mockReturnValueOnce(new Promise<never>((_, reject) => (fail = reject)));
  say({ ...execute('large'), code: '#'.repeat(900 * 1024) });
  expect(await answer()).toMatchObject({ type: 'ack', id: 'large' });
  expect(host.room.bytes).toBeGreaterThan(900 * 1024);
  say({ ...execute('second'), code: '#'.repeat(200 * 1024) });
  expect(await answer(2)).toMatchObject({ type: 'error', id: 'second', code: 'SANDBOX_OVERLOADED' });
  fail(new Error('cannot be made'));
  await expect.poll(() => host.room.bytes).toBe(0);
});

it('a ping is answered with what runs and what waits', async () => {
  say({ type: 'ping', id: 'p' });
  expect(await answer()).toMatchObject({
    type: 'pong',
    id: 'p',
    load: { active_executions: 0, queue_depth: 0 },
  });
});

it('what is no message is an error, and the connection goes on', async () => {
  say('nonsense');
  expect((await answer()).type).toBe('error');
  say({ type: 'ping' });
  expect((await answer(2)).type).toBe('pong');
});

it('a message of very many values is refused before they are made', async () => {
  const many = (count: number) => ({ type: 'ping', x: Array(count).fill(0) });
  say(many(9_990));
  expect((await answer()).type).toBe('pong');
  say(many(10_000));
  expect(await answer(2)).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'A message must have at most 10000 values.',
  });
});

it('a cancel of what is not there is told', async () => {
  say({ type: 'cancel', id: 'none' });
  expect(await answer()).toMatchObject({ type: 'error', code: 'UNKNOWN_EXECUTION', id: 'none' });
});

it('an execution is acknowledged and started, and its id cannot be used again meanwhile', async () => {
  say(execute('a'));
  expect(await answer()).toMatchObject({ type: 'ack', id: 'a' });
  expect(start).toHaveBeenCalledOnce();
  say(execute('a'));
  expect(await answer(2)).toMatchObject({ type: 'error', id: 'a' });
  expect(start).toHaveBeenCalledOnce();
});

it('what the queue cannot hold is refused', async () => {
  for (const id of ['a', 'b', 'c']) say(execute(id));
  await expect
    .poll(() => received.some(({ code }) => code === 'SANDBOX_OVERLOADED'), { timeout: 10_000 })
    .toBe(true);
  expect(received.find(({ code }) => code === 'SANDBOX_OVERLOADED')!.id).toBe('c');
});

it('what comes while the server closes is refused, whatever room there is', async () => {
  host.isClosing = true;
  say(execute('d'));
  expect(await answer()).toMatchObject({ type: 'error', code: 'SANDBOX_OVERLOADED', id: 'd' });
  expect(start).not.toHaveBeenCalled();
});

it('when the server closes, who waits is told before the connection goes', async () => {
  for (const id of ['a', 'b']) say(execute(id));
  await answer(2);
  const closed = once(client, 'close');
  connection.close();
  expect((await closed)[0]).toBe(1001);
  expect(received.filter(({ code }) => code === 'INTERNAL_ERROR').map(({ id }) => id)).toContain('b');
});
