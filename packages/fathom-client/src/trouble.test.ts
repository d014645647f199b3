// Servers that are away, dead, deaf, newer than us, or none.
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backoff } from './backoff.js';
import { FathomClient } from './client.js';
import type { FathomClientOptions } from './client-options.js';
import { FathomError } from './errors.js';
import { fakeSockets } from './fake-socket.js';

const url = 'ws://host:1';
const program = { language: 'python', code: '' };
const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
afterEach(() => void vi.useRealTimers());

async function connected(options: Partial<FathomClientOptions> = {}) {
  const { sockets, openSocket } = fakeSockets();
  const client = new FathomClient({ url, openSocket, ...options });
  await client.connect();
  return { client, sockets, socket: sockets[0]! };
}
const caught = (error: unknown) => error;

describe('a ping that nobody answers', () => {
  test('rejects, and a connection without any sign of life is given up', async () => {
    const { client } = await connected({ reconnect: false, pingTimeoutMs: 300 });
    const pong = client.ping().catch(caught);
    await vi.advanceTimersByTimeAsync(300);
    expect(await pong).toMatchObject({ code: 'FATHOM_CONNECTION', retryable: true });
    expect(client.state).toBe('idle');
  });

  test('rejects, and a connection that still brings messages stays', async () => {
    const { client, socket } = await connected({ pingTimeoutMs: 300 });
    const execution = client.execute(program);
    const pong = client.ping().catch(caught);
    await vi.advanceTimersByTimeAsync(100);
    socket.receive({ type: 'ack', id: execution.id });
    await vi.advanceTimersByTimeAsync(200);
    expect(await pong).toMatchObject({ code: 'FATHOM_CONNECTION' });
    expect(client.state).toBe('open');
    await client.close();
    await execution.catch(caught);
  });
});

describe('a handshake that fails in the same way twice is final', () => {
  const refusal = (text: string) => new FathomError({ code: 'FATHOM_PROTOCOL', message: text });
  test.each([
    ['HTTP 404 on Node', { error: refusal('answered with HTTP 404') }, 1006, 2],
    ['Bun', {}, 1002, 2],
    ['Bun, a token is missing', { message: 'failed: Expected 101 status code: 401' }, 1002, 1],
    ['Deno, a token is missing', { message: 'NetworkError: Invalid status code: 401' }, 1006, 1],
    ['Bun, another sub-protocol', { message: 'Missing client protocol' }, 1006, 2],
    ['Deno', { message: 'NetworkError: failed to connect to WebSocket: Invalid status code: 404' }, 1006, 2],
    ['4401 of our server', null, 4401, 1],
  ])('%s', async (_, error, code, tries) => {
    const { sockets, openSocket } = fakeSockets((socket) => {
      if (code === 4401) socket.emit('open');
      if (error !== null) socket.emit('error', error);
      socket.emit('close', { code });
    });
    const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
    const expected = tries === 1 ? 'FATHOM_UNAUTHORIZED' : 'FATHOM_PROTOCOL';
    const execution = client.execute(program).catch(caught);
    await vi.advanceTimersByTimeAsync(100_000);
    expect([sockets.length, client.state]).toEqual([tries, 'idle']);
    expect(await execution).toMatchObject({ code: expected, retryable: false });
  });

  test.each([
    ['nothing is said', {}],
    ['it may be the network', { message: 'Received network error or non-101 status code.' }],
    ['a proxy misses its server', { message: 'Expected 101 status code: 503' }, 1002],
  ])('but not when %s', async (_, error, code = 1006) => {
    const { sockets, openSocket } = fakeSockets((socket) => {
      socket.emit('error', error);
      socket.emit('close', { code });
    });
    const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
    void client.connect().catch(caught);
    await vi.advanceTimersByTimeAsync(3000);
    expect(sockets.length).toBeGreaterThan(4);
    await client.close();
  });

  test('nor when a peer talks nonsense once; twice it is', async () => {
    const { sockets, openSocket } = fakeSockets((socket) => {
      socket.emit('open');
      socket.emit('message', { data: '{"requestId":""}' });
    });
    const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
    const execution = client.execute(program).catch(caught);
    const pong = client.ping().catch(caught);
    await vi.advanceTimersByTimeAsync(100_000);
    expect([sockets.length, client.state]).toEqual([2, 'idle']);
    expect(await execution).toMatchObject({
      code: 'FATHOM_PROTOCOL',
      retryable: false,
      message: expect.stringMatching(
        /^ws:\/\/host:1\/ws .*Is it a Fathom server\? That of `sbx serve` is at \/fathom\.$/,
      ),
    });
    expect(await pong).toMatchObject({ code: 'FATHOM_PROTOCOL', retryable: false });
  });
});

describe('a server that is newer than us', () => {
  test.each([
    ['a type', { type: 'progress', percent: 3 }],
    ['a status', { type: 'status', status: 'paused' }],
    ['a field', { type: 'ack', queue: 3 }],
  ])('sends %s that is not known: nothing happens', async (_, message) => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await vi.advanceTimersByTimeAsync(0);
    const { id } = execution;
    socket.receive({ ...message, id });
    socket.receive({ type: 'status', id, status: 'completed' });
    socket.receive({ type: 'result', id, exit_code: 0, duration_ms: 1 });
    expect((await execution).ok).toBe(true);
    await client.close();
  });

  test('sends a code that is not known: that execution is rejected with it, the others go on', async () => {
    const { client, socket } = await connected();
    const [first, second] = [client.execute(program), client.execute(program)];
    await vi.advanceTimersByTimeAsync(0);
    socket.receive({ type: 'error', id: first.id, code: 'NO_QUOTA', message: 'm', retryable: true });
    await expect(first).rejects.toMatchObject({ wireCode: 'NO_QUOTA', retryable: true });
    socket.receive({ type: 'status', id: second.id, status: 'completed' });
    socket.receive({ type: 'result', id: second.id, exit_code: 0, duration_ms: 1 });
    expect((await second).ok).toBe(true);
    await client.close();
  });

  test.each([
    ['output without data', { type: 'stdout' }],
    ['a result without numbers', { type: 'result' }],
    ['an error without code', { type: 'error', message: 'm', retryable: true }],
  ])('%s costs its own execution alone', async (_, message) => {
    const { client, socket } = await connected();
    const [first, second] = [client.execute(program), client.execute(program)];
    await vi.advanceTimersByTimeAsync(0);
    socket.receive({ ...message, id: first.id });
    await expect(first).rejects.toMatchObject({ code: 'FATHOM_PROTOCOL', executionId: first.id });
    expect(client.state).toBe('open');
    expect(socket.sent.at(-1)).toMatchObject({ type: 'cancel', id: first.id });
    socket.receive({ type: 'status', id: second.id, status: 'completed' });
    socket.receive({ type: 'result', id: second.id, exit_code: 0, duration_ms: 1 });
    expect((await second).ok).toBe(true);
    await client.close();
  });
});

test('after a long outage a call connects at once, and does not wait for the timer', async () => {
  let isAway = true;
  const { sockets, openSocket } = fakeSockets((socket) => {
    if (isAway) socket.emit('close', { code: 1006 });
    else socket.emit('open');
  });
  const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
  void client.connect().catch(caught);
  await vi.advanceTimersByTimeAsync(100_000); // tries come every 30 s by now
  isAway = false;
  const before = sockets.length;
  await vi.advanceTimersByTimeAsync(2000);
  expect([client.state, sockets.length]).toEqual(['waiting', before]);
  const execution = client.execute(program);
  await vi.advanceTimersByTimeAsync(1);
  expect(client.state).toBe('open');
  await client.close();
  await execution.catch(caught);
});

test('calls in a loop while it is away are no reason to try without a pause', async () => {
  const { sockets, openSocket } = fakeSockets((socket) => socket.emit('close', { code: 1006 }));
  const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
  let isOver = false;
  const loop = (async () => {
    while (!isOver) await client.connect().catch(caught);
  })();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets.length).toBeLessThan(70);
  isOver = true;
  await vi.advanceTimersByTimeAsync(2000);
  await loop;
  await client.close();
});

test('settings that are undefined are the default ones', () => {
  const unset = { firstMs: undefined, capMs: undefined, jitter: undefined, triesMax: undefined };
  const waits = (backoff: Backoff) => [1, 2, 3, 4].map(() => backoff.next(false));
  expect(waits(new Backoff(unset, () => 0))).toEqual([0, 100, 200, 400]);
});

test('however many share a signal, it has one listener', async () => {
  const { client } = await connected();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 20 }, () => client.execute(program, { signal }).catch(caught));
  const pongs = Array.from({ length: 20 }, () => client.ping({ signal }).catch(caught));
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await client.close();
  await Promise.all([...calls, ...pongs]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test.each([
  [1009, '', 'The connection was closed (1009: a message was too large for the server).'],
  [1001, 'the server is shutting down', 'The connection was closed (1001: the server is shutting down).'],
  [1011, '', 'The connection was closed (1011).'],
  [1006, '', 'The connection was closed.'],
])('a close with %i %s is told as the cause', async (code, reason, message) => {
  const { client, socket } = await connected({ reconnect: false });
  const execution = client.execute(program).catch(caught);
  await vi.advanceTimersByTimeAsync(0);
  socket.close(code, reason);
  expect(await execution).toMatchObject({ code: 'FATHOM_CONNECTION', cause: { message } });
});

test('a client that is closed in the turn of a call rejects it at once, and holds no timer', async () => {
  const { client } = await connected();
  const calls = [client.ping().catch(caught), client.execute(program).catch(caught)];
  await client.close();
  expect(await Promise.all(calls)).toMatchObject([{ code: 'FATHOM_CLOSED' }, { code: 'FATHOM_CLOSED' }]);
  await vi.advanceTimersByTimeAsync(1000); // the close of the socket
  expect(vi.getTimerCount()).toBe(0);
});

test('a listener that throws is an uncaught error, and the connection goes on', async () => {
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  const { openSocket, sockets } = fakeSockets();
  const client = new FathomClient({ url, openSocket });
  client.onState(() => {
    throw new Error('mine');
  });
  await client.connect();
  await client.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  expect(uncaught).toHaveLength(3); // connecting, open, closed
  expect([client.state, sockets.length]).toEqual(['closed', 1]);
});
