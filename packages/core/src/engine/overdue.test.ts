import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Overdue } from './overdue.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function program(wallLimitMs: number) {
  const begun = Date.now();
  return { wallLimitMs, ageMs: () => Date.now() - begun, endOverdue: vi.fn() };
}

it('a program that init leaves running is ended once, some seconds after its limit; one that has ended is not', () => {
  const overdue = new Overdue();
  const [late, done, patient] = [program(1000), program(1000), program(60_000)];
  for (const each of [late, done, patient]) overdue.add(each);
  overdue.delete(done);
  vi.advanceTimersByTime(3000);
  expect(late.endOverdue).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(late.endOverdue).toHaveBeenCalledOnce();
  expect(done.endOverdue).not.toHaveBeenCalled();
  expect(patient.endOverdue).not.toHaveBeenCalled();
});

it('there is no timer while nothing runs', () => {
  const overdue = new Overdue();
  const one = program(1000);
  overdue.add(one);
  overdue.delete(one);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  overdue.add(one);
  expect(vi.getTimerCount()).toBe(1);
  overdue.close();
  expect(vi.getTimerCount()).toBe(0);
});
