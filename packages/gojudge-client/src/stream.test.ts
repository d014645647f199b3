import { expect, test } from 'vitest';
import { GojudgeClient } from './client.js';
import { FakeSocket, transportOf } from './fake-socket.js';
import type { InteractOptions } from './stream.js';
import { outputFrame, parseClientFrame, responseFrame } from './wire/index.js';

async function interact(options: InteractOptions = {}, command = {}) {
  const socket = new FakeSocket();
  const client = new GojudgeClient({ url: 'http://x', transport: transportOf([socket]) });
  const run = await client.interact({ args: ['x'], ...command }, options);
  const frames = () => socket.sent.map((frame) => parseClientFrame(frame as Uint8Array)!);
  return { socket, run, frames };
}

const RESULT = { status: 'Accepted', exitStatus: 0, time: 1, memory: 1, runTime: 1 };
const answer = (more: object = { results: [RESULT] }) =>
  responseFrame(JSON.stringify({ requestId: '', ...more }));
const output = (text: string, fd = 1) => outputFrame(0, fd, new TextEncoder().encode(text));

test('request first, then size, input in pieces', async () => {
  const { run, frames } = await interact({ terminal: { cols: 80, rows: 24 } }, { tty: true });
  await run.write('x'.repeat(70_000), { fd: 3 });
  await run.endInput();
  const [request, size, ...inputs] = frames();
  expect(request!.kind).toBe('request');
  expect(size).toEqual({ kind: 'resize', json: '{"index":0,"fd":0,"cols":80,"rows":24}' });
  expect(inputs.map((frame) => frame.kind === 'input' && [frame.fd, frame.bytes.byteLength])).toEqual([
    [3, 32_768],
    [3, 32_768],
    [3, 4464],
    [0, 1],
  ]);
});

test('output is read to its end, also after the answer', async () => {
  const { socket, run } = await interact();
  socket.receive(output('a\u00e9'.slice(0, 1)));
  socket.receive(output('b', 2));
  socket.receive(answer());
  const seen: string[] = [];
  for await (const { fd, bytes } of run) seen.push(`${fd}:${new TextDecoder().decode(bytes)}`);
  expect(seen).toEqual(['1:a', '2:b']);
  expect((await run.result).ok).toBe(true);
});

test('a slow reader holds the connection back, a missing one does not', async () => {
  const { socket, run } = await interact();
  const large = outputFrame(0, 1, new Uint8Array(600_000));
  for (let count = 0; count < 3; count += 1) socket.receive(large);
  expect(socket.isHeld).toBe(false);
  const reader = run[Symbol.asyncIterator]();
  const waiting = reader.next();
  socket.receive(large);
  await waiting;
  socket.receive(large);
  expect(socket.isHeld).toBe(true);
  for (let count = 0; count < 4; count += 1) await reader.next();
  expect(socket.isHeld).toBe(false);
});

test('output that nobody reads is bounded', async () => {
  const { socket, run } = await interact({ unreadBytesMax: 522 });
  socket.receive(output('12345678901'));
  await expect(run.results).rejects.toMatchObject({ code: 'GOJUDGE_OVERFLOW' });
  expect(await run.text()).toBe('');
});

test('each message counts, however little is in it', async () => {
  const { socket, run } = await interact({ unreadBytesMax: 10_240 });
  let error: unknown = null;
  run.results.catch((reason) => {
    error = reason;
  });
  for (let count = 0; count < 20; count += 1) socket.receive(output(''));
  await Promise.resolve();
  expect(error).toBeNull();
  socket.receive(output(''));
  await expect(run.results).rejects.toThrow('raise unreadBytesMax');
});

test('a program that writes 100 000 bytes one by one, before anybody reads, is read whole', async () => {
  const { socket, run } = await interact();
  const byte = output('x');
  for (let count = 0; count < 100_000; count += 1) socket.receive(byte);
  socket.receive(answer());
  expect(await run.text()).toHaveLength(100_000);
});

test('abort ends it with its reason', async () => {
  const controller = new AbortController();
  const { run } = await interact({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(run.results).rejects.toThrow('enough');
  await expect(run.write('x')).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
});

test.each<[what: string, frame: Uint8Array, error: object]>([
  ['an unknown frame', Uint8Array.of(9), { code: 'GOJUDGE_PROTOCOL' }],
  ['bad JSON', responseFrame('{'), { code: 'GOJUDGE_PROTOCOL' }],
  [
    'a failure with its text',
    answer({ results: [], error: 'text' }),
    { code: 'GOJUDGE_RUN', message: 'text' },
  ],
  ['a failure without one', answer({ results: [] }), { code: 'GOJUDGE_RUN' }],
])('%s', async (_what, frame, error) => {
  const { socket, run } = await interact();
  socket.receive(frame);
  await expect(run.result).rejects.toMatchObject(error);
});

test('a lost connection, and a run that is closed', async () => {
  const lost = await interact();
  lost.socket.close();
  await expect(lost.run.results).rejects.toMatchObject({ code: 'GOJUDGE_CONNECTION' });
  const closed = await interact();
  await closed.run.close();
  await expect(closed.run.results).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
  await expect(closed.run.endInput()).rejects.toMatchObject({ code: 'GOJUDGE_UNSUPPORTED' });
});

test('input that the run does not wait for any more is no error of who writes it', async () => {
  const { socket, run } = await interact();
  socket.bufferedAmount = 2 ** 21;
  async function* source() {
    yield new Uint8Array(100_000);
    yield new Uint8Array(1);
  }
  const writing = run.writeFrom(source());
  await expect.poll(() => socket.sent).toHaveLength(2);
  socket.receive(answer());
  await writing;
  expect(socket.sent).toHaveLength(2); // the request, and the piece that was on its way
  await expect(run.write('x')).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
});
