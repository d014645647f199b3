import { expect, it } from 'vitest';
import { mergeOutputs } from './merge-outputs.js';

/** An output, what comes on it, and whether somebody has it. */
function output() {
  const chunks: (Uint8Array | null)[] = [];
  let wake = () => {};
  const state = { open: 0 };
  const come = (chunk: string | null) => {
    chunks.push(chunk === null ? null : Buffer.from(chunk));
    wake();
  };
  const open = (woken: () => void) => {
    state.open += 1;
    wake = woken;
    return { read: () => (chunks[0] === null ? null : chunks.shift()), close: () => void state.open-- };
  };
  return { open, come, state };
}

it('gives what comes on either until both have ended, and gives them back', async () => {
  const [out, err] = [output(), output()];
  const seen: string[] = [];
  const over = (async () => {
    for await (const { kind, bytes } of mergeOutputs({ out, none: null, err })) seen.push(`${kind} ${bytes}`);
  })();
  for (const [from, chunk] of [
    [out, 'a'],
    [err, 'b'],
    [out, null],
    [err, 'c'],
    [err, null],
  ] as const) {
    from.come(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await over;
  expect(seen).toEqual(['out a', 'err b', 'err c']);
  expect([out.state.open, err.state.open]).toEqual([0, 0]);
});

it('gives them back when it is left, and when one cannot be had', async () => {
  const [out, err] = [output(), output()];
  out.come('a');
  for await (const _ of mergeOutputs({ out, err })) break;
  const busy = {
    open: () => {
      throw new Error('busy');
    },
  };
  await expect(mergeOutputs({ out, busy }).next()).rejects.toThrow('busy');
  expect([out.state.open, err.state.open]).toEqual([0, 0]);
});
