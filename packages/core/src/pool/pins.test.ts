import { expect, it } from 'vitest';
import { CpuPins } from './pins.js';

it('the CPU that the fewest have is next, the first of several', () => {
  const pins = new CpuPins([2, 3, 7]);
  expect([pins.acquire(), pins.acquire(), pins.acquire(), pins.acquire()]).toEqual([2, 3, 7, 2]);
  pins.release(3);
  expect(pins.acquire()).toBe(3);
  pins.release(2);
  pins.release(2);
  expect([pins.acquire(), pins.acquire()]).toEqual([2, 2]);
});
