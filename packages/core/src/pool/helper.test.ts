import { afterEach, expect, it, vi } from 'vitest';
import { Helper, restartDelayMs } from './helper.js';
import type { Zygote } from './zygote.js';

afterEach(() => {
  vi.useRealTimers();
});

it('the first start comes at once, the next ever later, up to five seconds', () => {
  expect([0, 1, 2, 3, 6, 7, 1000].map(restartDelayMs)).toEqual([0, 100, 200, 400, 3200, 5000, 5000]);
});

it('its end waits for a zygote that the kernel holds, but not for ever', async () => {
  const zygote = { onLost: () => undefined, close: () => new Promise<void>(() => undefined) };
  const start = async () => zygote as unknown as Zygote;
  const helper = await Helper.open({ start, onRestarted: () => undefined });
  vi.useFakeTimers();
  let isClosed = false;
  void helper.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(9900);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(isClosed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
