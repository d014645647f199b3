// What a run request is refused for before anything runs, and what a client that goes away ends.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { ServerContext } from '../../judge/run-job.js';

const runQueued = vi.fn(async (_context: unknown, _job: unknown, _signal: AbortSignal) => []);
vi.resetModules();
vi.doMock('../../judge/run-job.js', () => ({ runQueued }));
vi.doMock('../../judge/convert.js', () => ({ convertRequest: (raw: object) => raw }));
const { handleRun } = await import('./run.js');
afterAll(() => void vi.resetModules());

const newSocket = () =>
  Object.assign(new EventEmitter(), { readableEnded: false, destroyed: false }) as unknown as Socket;
const readBody = vi.fn((_maxBytes: number) => Buffer.from(''));
const context = { settings: { bodyMaxBytes: 99, cmdCountMax: 2 } } as unknown as ServerContext;

function run(body: object, socket = newSocket()) {
  readBody.mockReturnValueOnce(Buffer.from(JSON.stringify(body)));
  return handleRun(context, { socket, readBody });
}
const cmd = { args: ['true'] };

beforeEach(() => void vi.clearAllMocks());

test('programs are needed, and so many at most; the body has its bound', async () => {
  await expect(run({})).rejects.toMatchObject({ name: 'BadRequest', message: 'no cmd provided' });
  await expect(run({ cmd: [] })).rejects.toThrow('no cmd provided');
  await expect(run({ cmd: [cmd, cmd, cmd] })).rejects.toThrow('cmd: more than 2 entries');
  expect(runQueued).not.toHaveBeenCalled();
  expect(readBody).toHaveBeenCalledWith(99);
});

test('an answer is JSON with its results', async () => {
  expect(await run({ cmd: [cmd] })).toMatchObject({ status: 200, body: '[]\n' });
});

test.each(['end', 'close'])(
  'a client that goes away by %s ends all runs of its connection',
  async (event) => {
    const socket = newSocket();
    await run({ cmd: [cmd] }, socket);
    await run({ cmd: [cmd] }, socket);
    const [[, , first], [, , second]] = runQueued.mock.calls as never as [
      [0, 0, AbortSignal],
      [0, 0, AbortSignal],
    ];
    expect(first).toBe(second);
    expect(first.aborted).toBe(false);
    socket.emit(event);
    expect(first.aborted).toBe(true);
    expect(socket.listenerCount('close')).toBeLessThanOrEqual(1);
  },
);

test('one that had gone before runs nothing', async () => {
  const socket = Object.assign(newSocket(), { readableEnded: true });
  await run({ cmd: [cmd] }, socket);
  expect(runQueued.mock.calls[0]![2].aborted).toBe(true);
});
