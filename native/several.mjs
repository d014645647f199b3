import { availableParallelism } from 'node:os';

/** Does the work of each, as many at a time as there are CPUs. Begins none after one has failed. */
export async function severalAtATime(all, work) {
  const waiting = [...all];
  async function takeTurns() {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  }
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, takeTurns));
  } finally {
    waiting.length = 0;
  }
}
