import { expect, it } from 'vitest';
import { Retries } from './retries.js';

it('pauses are twice as long each, up to two seconds, until something is answered', async () => {
  const waits: number[] = [];
  const after = (ms: number, callback: () => void) => {
    waits.push(ms);
    queueMicrotask(callback);
    return () => undefined;
  };
  const retries = new Retries({ now: () => 0, after });
  for (let count = 0; count < 7; count++) await retries.pause();
  retries.reset();
  await retries.pause();
  expect(waits).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 100]);
});

it('a signal ends a pause', async () => {
  const after = () => () => undefined;
  const controller = new AbortController();
  const paused = new Retries({ now: () => 0, after }, controller.signal).pause();
  controller.abort();
  await paused;
});
