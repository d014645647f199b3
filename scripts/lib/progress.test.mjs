import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withProgress } from './progress.mjs';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const step = { name: 'native', number: 2, count: 3 };
const to = (isTTY) => {
  const written = [];
  return { isTTY, written, write: (text) => void written.push(text) };
};
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** Whether something goes on drawing. */
async function isDrawn({ written }) {
  const before = written.length;
  await vi.advanceTimersByTimeAsync(5000);
  return written.length > before;
}
/** What stands in the line in the end, as a terminal shows it. */
const shown = (text) => text.split('\r\x1b[K').at(-1);

it('a file or a pipe gets the name and the time, and nothing between', async () => {
  const out = to(false);
  const done = withProgress(step, () => after(61_500), out);
  await vi.advanceTimersByTimeAsync(61_500);
  await done;
  expect(out.written).toEqual(['setup: native … ', '61.5 s\n']);
});

it('a terminal shows a clock and the place meanwhile, and the same line in the end', async () => {
  const out = to(true);
  const done = withProgress(step, () => after(2500), out);
  await vi.advanceTimersByTimeAsync(2100);
  expect(shown(out.written.join(''))).toBe('setup: native … (2 of 3) 2 s ');
  await vi.advanceTimersByTimeAsync(400);
  await done;
  expect(shown(out.written.join(''))).toBe('setup: native … 2.5 s\n');
  expect(await isDrawn(out)).toBe(false);
});

it('a failure leaves the line open for who says why, and no clock', async () => {
  const out = to(true);
  const failed = new Error('no compiler');
  await expect(withProgress(step, () => Promise.reject(failed), out)).rejects.toBe(failed);
  expect(shown(out.written.join(''))).toBe('setup: native … ');
  expect(await isDrawn(out)).toBe(false);
});
