import { afterEach, expect, test, vi } from 'vitest';
import { StallWatch } from './stall-watch.js';

afterEach(() => void vi.useRealTimers());

test('looks no more once it was stopped, although something waits for ever', () => {
  vi.useFakeTimers();
  const watch = new StallWatch({
    connection: () => null,
    isWaiting: () => true,
    stallMs: 30_000,
    onStall: () => undefined,
    onProgress: () => undefined,
  });
  watch.watch();
  expect(vi.getTimerCount()).toBe(1);
  watch.stop();
  watch.watch(); // the answer of a request whose client has gone
  expect(vi.getTimerCount()).toBe(0);
});
