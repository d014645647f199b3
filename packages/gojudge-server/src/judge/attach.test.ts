import type { RunnerProcess } from '@sbx/core';
import { expect, test, vi } from 'vitest';
import { attachStreams } from './attach.js';
import type { JobProgram } from './job.js';

function attached(tty: boolean, kinds: (string | null)[]) {
  let finish: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const target = { attachInput: vi.fn(), attachOutput: vi.fn(() => sent), attachTerminal: vi.fn() };
  const process = { fds: ['fd0', 'fd1', 'fd2'], stdin: 'stdin', stdout: 'stdout' };
  const files = kinds.map((kind) => (kind === null ? null : { kind }));
  const over = attachStreams(target, {
    index: 3,
    program: { tty, files } as unknown as JobProgram,
    process: process as unknown as RunnerProcess,
  });
  return { target, process, over, finish };
}

test('each descriptor goes to the stream of its number, and the rest to none', async () => {
  const { target, over, finish } = attached(false, ['stream-in', 'content', 'stream-out']);
  expect(target.attachInput.mock.calls).toEqual([[3, 0, 'fd0']]);
  expect(target.attachOutput.mock.calls).toEqual([[3, 2, 'fd2']]);
  expect(target.attachTerminal).not.toHaveBeenCalled();
  finish();
  await over;
});

test('it is over when all output was sent', async () => {
  const { over, finish } = attached(false, [null, 'stream-out', 'stream-out']);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  finish();
  await over;
});

test('a terminal has one output, at the first that asks for it, and can be resized', async () => {
  const { target, process, over, finish } = attached(true, ['stream-in', 'stream-out', 'stream-out']);
  expect(target.attachInput.mock.calls).toEqual([[3, 0, 'stdin']]);
  expect(target.attachTerminal.mock.calls).toEqual([[3, 0, process]]);
  expect(target.attachOutput.mock.calls).toEqual([[3, 1, 'stdout']]);
  finish();
  await over;
});

test('a terminal that nobody reads waits for nothing', async () => {
  const { target, over } = attached(true, ['stream-in', null]);
  await over;
  expect(target.attachOutput).not.toHaveBeenCalled();
});
