import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/** What the engine keeps ready when nothing happens, as far as seen. */
let full = 0;

/**
 * Waits until the engine has refilled what it keeps ready, and a moment more: what one sample leaves to do is
 * not in the next.
 */
export async function settle(engine, moment = 1) {
  full = Math.max(full, engine.counters().ready);
  const isSettled = () => engine.counters().running === 0 && engine.counters().ready >= full;
  for (let i = 0; i < 50 && !isSettled(); i++) await sleep(1);
  full = engine.counters().ready;
  await sleep(moment);
}

/** Keeps the JavaScript loop from doing anything, and a CPU busy. */
export function blockLoop(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
