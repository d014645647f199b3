import { expect, it, vi } from 'vitest';
import { callbackFor } from './callbacks.js';

const chunk = new Uint8Array(1);

it('stdout and stderr have a callback of their own, other descriptors none', () => {
  const [onStdout, onStderr] = [vi.fn(), vi.fn()];
  const options = { onStdout, onStderr };
  callbackFor(1, options, vi.fn())!(chunk);
  callbackFor(2, options, vi.fn())!(chunk);
  expect([onStdout.mock.calls, onStderr.mock.calls]).toEqual([[[chunk]], [[chunk]]]);
  expect(callbackFor(3, options, vi.fn())).toBeUndefined();
  expect(callbackFor(1, {}, vi.fn())).toBeUndefined();
});

it.each([
  ['throws', 1, 'onStdout threw.'],
  ['rejects', 2, 'onStderr threw.'],
])('one that %s fails the run, and nothing else', async (how, target, message) => {
  const cause = new Error('mine');
  const fail = vi.fn();
  const callback = (): never => {
    if (how === 'throws') throw cause;
    return Promise.reject(cause) as never;
  };
  callbackFor(target, { onStdout: callback, onStderr: callback }, fail)!(chunk);
  await Promise.resolve();
  expect(fail.mock.calls).toEqual([
    [expect.objectContaining({ code: 'SBX_STREAM_CALLBACK', message, cause })],
  ]);
});

it('a promise of another kind that rejects fails it, too', async () => {
  const fail = vi.fn();
  // biome-ignore lint/suspicious/noThenProperty: it is what is looked at
  const thenable = { then: (_: unknown, reject: (cause: unknown) => void) => reject('mine') };
  callbackFor(1, { onStdout: () => thenable }, fail)!(chunk);
  await new Promise((resolve) => setImmediate(resolve));
  expect(fail.mock.calls).toEqual([[expect.objectContaining({ cause: 'mine' })]]);
});
