import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Lifetime } from './lifetime.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('closes once its time is over, and says why', () => {
  const close = vi.fn();
  const lifetime = new Lifetime(close);
  vi.advanceTimersByTime(1e9);
  expect([close.mock.calls.length, lifetime.reason]).toEqual([0, null]);
  lifetime.set(500);
  vi.advanceTimersByTime(499);
  expect([close.mock.calls.length, lifetime.reason]).toEqual([0, null]);
  vi.advanceTimersByTime(1);
  expect([close.mock.calls.length, lifetime.reason]).toEqual([1, 'its lifetimeMs of 500 are over']);
});

it('the last word counts, from the moment it was said', () => {
  const close = vi.fn();
  const lifetime = new Lifetime(close);
  lifetime.set(500);
  vi.advanceTimersByTime(400);
  lifetime.set(200);
  vi.advanceTimersByTime(199);
  expect(close).not.toHaveBeenCalled();
  lifetime.set(null);
  vi.advanceTimersByTime(1e9);
  expect([close.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
});

it('one that is closed otherwise is closed by nothing later', () => {
  const close = vi.fn();
  const lifetime = new Lifetime(close);
  lifetime.set(500);
  lifetime.stop();
  expect(vi.getTimerCount()).toBe(0);
});
