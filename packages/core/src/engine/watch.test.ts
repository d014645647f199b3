import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Watch, type WatchedProgram } from './watch.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function program() {
  const begun = Date.now();
  const limits = { wallTimeMs: 1000, memoryBytes: null };
  const lease = { slot: { spec: { loopback: false } } };
  return {
    limits,
    lease,
    group: null,
    ageMs: () => Date.now() - begun,
    endFor: vi.fn(),
  } satisfies WatchedProgram;
}

it('looks at programs until they have ended', () => {
  const watch = new Watch();
  const [late, done] = [program(), program()];
  for (const each of [late, done]) watch.add(each);
  watch.delete(done);
  vi.advanceTimersByTime(10_000);
  expect(late.endFor).toHaveBeenCalledWith('wall-limit');
  expect(done.endFor).not.toHaveBeenCalled();
});

it('there is no timer while nothing runs', () => {
  const watch = new Watch();
  const one = program();
  watch.add(one);
  watch.delete(one);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  watch.add(one);
  expect(vi.getTimerCount()).toBe(1);
  watch.close();
  expect(vi.getTimerCount()).toBe(0);
});
