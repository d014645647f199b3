import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FathomClient } from './client.js';
import type { FathomClientOptions } from './client-options.js';
import { FathomError } from './errors.js';
import { type FakeSocket, fakeSockets } from './fake-socket.js';

const url = 'ws://host:1';
const program = { language: 'python', code: 'print(1)' };

async function connected(options: Partial<FathomClientOptions> = {}) {
  const { sockets, openSocket } = fakeSockets();
  const client = new FathomClient({ url, openSocket, ...options });
  await client.connect();
  return { client, sockets, socket: sockets[0]! };
}

/** All a successful run sends after `execute`. */
function answer(socket: FakeSocket, id = socket.lastId): void {
  socket.receive({ type: 'ack', id });
  socket.receive({ type: 'status', id, status: 'running' });
  socket.receive({ type: 'stdout', id, data: 'a' });
  socket.receive({ type: 'stderr', id, data: 'e' });
  socket.receive({ type: 'stdout', id, data: 'b\n' });
  socket.receive({ type: 'status', id, status: 'completed' });
  socket.receive({ type: 'result', id, exit_code: 0, duration_ms: 12, resource_usage: { cpu_time_ms: 3 } });
}

test.each([
  [{}, /options\.url must be an address/],
  [{ url: 5 }, /options\.url must be a string/],
  [{ url: '127.0.0.1:8765' }, /options\.url must be an address/],
  [{ url: 'ftp://host' }, /options\.url must be an address/],
  [{ url: 'ws://' }, /options\.url must be an address/],
  [{ url, tokn: 's' }, /options\.tokn is not known/],
  [{ url, outputLengthMax: -1 }, /options\.outputLengthMax must be a whole number from 0 on/],
  [url, /options must be an object/],
])('%j is no client', (options, message) => {
  const make = () => new FathomClient(options as FathomClientOptions);
  expect(make).toThrow(message);
  expect(make).toThrow(expect.objectContaining({ code: 'FATHOM_REQUEST' }));
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('an execution', () => {
  test('is awaited for all it came to', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    expect(socket.sent[0]).toMatchObject({
      v: 1,
      type: 'execute',
      ...program,
      limits: { timeout_ms: 30_000, memory_mb: 256 },
    });
    answer(socket);
    expect(await execution).toEqual({
      id: execution.id,
      status: 'completed',
      ok: true,
      exitCode: 0,
      stdout: 'ab\n',
      stderr: 'e',
      durationMs: 12,
      usage: { cpuTimeMs: 3 },
      truncated: false,
      outputLimitExceeded: false,
    });
  });

  test('is read event by event, those before the reader included', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    answer(socket);
    const events = [];
    for await (const event of execution) events.push(event.kind === 'result' ? event.result.stdout : event);
    expect(events).toEqual([
      { kind: 'accepted' },
      { kind: 'started' },
      { kind: 'stdout', text: 'a' },
      { kind: 'stderr', text: 'e' },
      { kind: 'stdout', text: 'b\n' },
      'ab\n',
    ]);
  });

  test('many at once are told apart by id', async () => {
    const { client, socket } = await connected();
    const [first, second] = [client.execute(program), client.execute(program)];
    await settled();
    answer(socket, second.id);
    expect((await second).ok).toBe(true);
    answer(socket, first.id);
    expect((await first).id).toBe(first.id);
  });

  test('an error of the server rejects, as retryable as it says', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    socket.receive({
      type: 'error',
      id: execution.id,
      code: 'SANDBOX_OVERLOADED',
      message: 'full',
      retryable: true,
    });
    await expect(execution).rejects.toMatchObject({
      code: 'FATHOM_REJECTED',
      wireCode: 'SANDBOX_OVERLOADED',
      retryable: true,
    });
    socket.receive({ type: 'stdout', id: execution.id, data: 'late' }); // harmless
  });

  test('too much output is a result that says so', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    const { id } = execution;
    socket.receive({ type: 'stdout', id, data: 'xxx' });
    socket.receive({ type: 'error', id, code: 'OUTPUT_LIMIT', message: 'm', retryable: false });
    socket.receive({ type: 'status', id, status: 'failed' });
    socket.receive({ type: 'result', id, exit_code: null, duration_ms: 1 });
    expect(await execution).toMatchObject({
      status: 'failed',
      outputLimitExceeded: true,
      stdout: 'xxx',
      exitCode: null,
    });
  });

  test('cancel() asks the server, whose result stands', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    execution.cancel();
    expect(socket.sent[1]).toMatchObject({ type: 'cancel', id: execution.id });
    socket.receive({ type: 'status', id: execution.id, status: 'cancelled' });
    socket.receive({ type: 'result', id: execution.id, exit_code: null, duration_ms: 5 });
    expect((await execution).status).toBe('cancelled');
  });

  test('abort cancels and rejects at once with the reason', async () => {
    const { client, socket } = await connected();
    const stop = new AbortController();
    const execution = client.execute(program, { signal: stop.signal });
    await settled();
    stop.abort(new Error('enough'));
    await expect(execution).rejects.toThrow('enough');
    expect(socket.sent.map(({ type }) => type)).toEqual(['execute', 'cancel']);
  });

  test('aborted before the connection stands it is never sent', async () => {
    const { sockets, openSocket } = fakeSockets(() => undefined);
    const client = new FathomClient({ url, openSocket });
    const stop = new AbortController();
    const execution = client.execute(program, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(execution).rejects.toThrow('enough');
    sockets[0]!.emit('open');
    await settled();
    expect(sockets[0]!.sent).toEqual([]);
  });

  test('leaving the loop early cancels', async () => {
    const { client, socket } = await connected();
    const execution = client.execute(program);
    await settled();
    socket.receive({ type: 'ack', id: execution.id });
    for await (const _ of execution) break;
    expect(socket.sent[1]).toMatchObject({ type: 'cancel', id: execution.id });
  });
});

describe('refused before it is sent', () => {
  const cases: [string, object, RegExp][] = [
    ['an unknown field', { ...program, lang: 'x' }, /request\.lang is not known/],
    ['no language', { code: '' }, /language must be a string/],
    ['a lone surrogate', { ...program, code: 'x\ud800' }, /code must be text without lone surrogates/],
    ['too much code', { ...program, code: 'é'.repeat(2 ** 19 + 1) }, /code must be at most 1048576 bytes/],
    [
      'a variable that Linux does not take',
      { ...program, env: { a: 'x'.repeat(131_070) } },
      /at most 131070 bytes/,
    ],
    ['a name with =', { ...program, env: { 'a=b': '' } }, /env must have names/],
    ['a fraction', { ...program, limits: { timeoutMs: 0.5 } }, /limits\.timeoutMs must be a whole number/],
    ['no memory', { ...program, limits: { memoryBytes: 0 } }, /limits\.memoryBytes must be at least 1/],
    [
      'a message that would end the connection',
      { ...program, stdin: '\x01'.repeat(2 ** 21) },
      /request must be at most 8388608 bytes/,
    ],
  ];
  test.each(cases)('%s', async (_, request, message) => {
    const { client, socket } = await connected();
    expect(() => client.execute(request as never)).toThrow(message);
    expect(socket.sent).toEqual([]);
  });
});

describe('the connection', () => {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;
  beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
  afterEach(() => void vi.useRealTimers());

  test('lost: what is under way fails as retryable, one try at once, then waits that double up to 30 s', async () => {
    const { sockets, openSocket } = fakeSockets((socket, count) => {
      if (count === 1 || count === 12) socket.emit('open');
      else socket.emit('close', { code: 1006 });
    });
    const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
    const states: string[] = [];
    client.onState((state) => states.push(state));
    await client.connect();
    const execution = client.execute(program);
    await settled();
    sockets[0]!.emit('close', { code: 1006 });
    await expect(execution).rejects.toMatchObject({ code: 'FATHOM_CONNECTION', retryable: true });
    const waits = [0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000];
    for (const [tries, wait] of waits.entries()) {
      expect(sockets.length).toBe(tries + 1);
      await vi.advanceTimersByTimeAsync(Math.max(0, wait - 1));
      expect(sockets.length).toBe(wait === 0 ? 2 : tries + 1);
      await vi.advanceTimersByTimeAsync(wait === 0 ? 0 : 1);
    }
    expect(sockets.length).toBe(12);
    expect(client.state).toBe('open');
    expect(states.slice(0, 4)).toEqual(['connecting', 'open', 'waiting', 'connecting']);
    sockets[11]!.emit('close', { code: 1006 });
    await vi.advanceTimersByTimeAsync(0);
    expect(sockets.length).toBe(13); // at once again: success has reset it
    await client.close();
  });

  test('a server that takes each connection and ends it is not asked without a pause', async () => {
    const { sockets, openSocket } = fakeSockets((socket) => {
      socket.emit('open');
      socket.emit('close', { code: 1013 });
    });
    const client = new FathomClient({ url, openSocket, reconnect: { jitter: 0 } });
    await client.connect();
    await vi.advanceTimersByTimeAsync(50);
    expect(sockets.length).toBe(2); // once at once
    await vi.advanceTimersByTimeAsync(4000);
    expect(sockets.length).toBeGreaterThan(4);
    expect(sockets.length).toBeLessThan(10);
    await client.close();
  });

  test('a call while it is away waits for the next try, and learns why it failed', async () => {
    const { openSocket } = fakeSockets((socket) => socket.emit('close', { code: 1006 }));
    const client = new FathomClient({ url, openSocket });
    const execution = client.execute(program).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    expect(await execution).toMatchObject({ code: 'FATHOM_CONNECTION', retryable: true });
    await client.close();
  });

  test.each([
    [
      'a token that is not taken',
      new FathomError({ code: 'FATHOM_UNAUTHORIZED', message: 'no' }),
      1006,
      'FATHOM_UNAUTHORIZED',
    ],
    ['another version', undefined, 4406, 'FATHOM_VERSION'],
  ])('%s is not tried again by itself', async (_, error, code, expected) => {
    const { sockets, openSocket } = fakeSockets((socket) => {
      if (error !== undefined) socket.emit('error', { error });
      socket.emit('close', { code });
    });
    const client = new FathomClient({ url, openSocket });
    await expect(client.connect()).rejects.toMatchObject({ code: expected, retryable: false });
    await vi.advanceTimersByTimeAsync(100_000);
    expect([sockets.length, client.state]).toEqual([1, 'idle']);
  });

  test('a server that breaks the protocol is left', async () => {
    const { client, socket, sockets } = await connected({ reconnect: false });
    const execution = client.execute(program);
    await vi.advanceTimersByTimeAsync(0);
    socket.emit('message', { data: '{"v":1}' });
    await expect(execution).rejects.toMatchObject({ code: 'FATHOM_PROTOCOL', retryable: false });
    expect([sockets.length, client.state]).toEqual([1, 'idle']);
  });

  test('that never opens is given up', async () => {
    const { openSocket } = fakeSockets(() => undefined);
    const client = new FathomClient({ url, openSocket, reconnect: false, connectTimeoutMs: 500 });
    const connecting = client.connect().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(500);
    expect(await connecting).toMatchObject({
      code: 'FATHOM_CONNECTION',
      message: expect.stringContaining('500 ms'),
    });
  });

  test('whose peer falls silent is found by pings', async () => {
    const { client, socket } = await connected({ pingIntervalMs: 1000, reconnect: false });
    const execution = client.execute(program).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(socket.sent.at(-1)).toMatchObject({ type: 'ping' });
    socket.receive({ type: 'pong' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(client.state).toBe('open');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await execution).toMatchObject({ code: 'FATHOM_CONNECTION' });
  });

  test('ping tells the load', async () => {
    const { client, socket } = await connected();
    const pong = client.ping();
    await vi.advanceTimersByTimeAsync(0);
    const { id } = socket.sent[0]!;
    socket.receive({ type: 'pong', id, load: { active_executions: 3, queue_depth: 1 } });
    expect((await pong).load).toEqual({ activeExecutions: 3, queueDepth: 1 });
  });

  test('pongs without an id are in the order of the pings', async () => {
    const { client, socket } = await connected();
    const pongs = [client.ping(), client.ping()];
    await vi.advanceTimersByTimeAsync(0);
    for (const active_executions of [1, 2]) {
      socket.receive({ type: 'pong', load: { active_executions, queue_depth: 0 } });
    }
    expect((await Promise.all(pongs)).map(({ load }) => load?.activeExecutions)).toEqual([1, 2]);
  });

  test('closed: everything fails, nothing is tried again', async () => {
    const { client, sockets } = await connected();
    const execution = client.execute(program).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    await client.close();
    await client.close();
    expect(await execution).toMatchObject({ code: 'FATHOM_CLOSED', retryable: false });
    await expect(client.connect()).rejects.toMatchObject({ code: 'FATHOM_CLOSED' });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(sockets.length).toBe(1);
  });
});
