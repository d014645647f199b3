import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleWatch } from './idle-watch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A program that uses `busyMs` of CPU time between two looks. */
function watch({ busyMs = 0, answers = [true] }: { busyMs?: number; answers?: boolean[] } = {}) {
  let used = 0;
  const told: string[] = [];
  const own = new IdleWatch({
    cpuTimeMs: () => {
      used += busyMs;
      return used;
    },
    onIdle: () => {
      told.push('idle');
      return answers.shift() ?? true;
    },
    onBusy: () => void told.push('busy'),
  });
  return { own, told };
}

test('a program that waits without CPU time is told once, and again when its client has taken something', () => {
  const { own, told } = watch();
  own.block(true);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['idle']);
  own.block(false);
  expect(told).toEqual(['idle', 'busy']);
  own.block(true);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['idle', 'busy', 'idle']);
});

test('one that goes on computing does not only wait', () => {
  const { own, told } = watch({ busyMs: 6 });
  own.block(true);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([]);
});

test('what threads of a runtime use now and then is no work', () => {
  const { own, told } = watch({ busyMs: 5 });
  own.block(true);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['idle']);
});

test('whoever says "not now" is asked again', () => {
  const { own, told } = watch({ answers: [false, false, true] });
  own.block(true);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['idle', 'idle', 'idle']);
});

test('with two streams it waits as long as one of them does', () => {
  const { own, told } = watch();
  own.block(true);
  own.block(true);
  own.block(false);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['idle']);
  own.block(false);
  expect(told).toEqual(['idle', 'busy']);
});

test('nothing is told of one that went on in time, or after the end', () => {
  const { own, told } = watch();
  own.block(true);
  own.block(false);
  own.block(true);
  own.stop();
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
