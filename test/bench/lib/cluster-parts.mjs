/** What the benchmarks of a cluster share: workers in processes of their own, and rounds of runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killAtExit } from './kill-at-exit.mjs';

/**
 * A script of this folder that says `ready` when it is. `cpus`: those that it may use, as `taskset` takes
 * them.
 */
export async function startScript(name, args, cpus = null) {
  const own = [process.execPath, join(import.meta.dirname, name), ...args.map(String)];
  const [file, ...rest] = cpus === null ? own : ['taskset', '-c', cpus, ...own];
  const child = killAtExit(spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] }));
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => data.includes('ready') && resolve());
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return child;
}

/** The number that a worker of `cluster-worker.mjs` answers a line with. */
export async function askWorker({ stdin, stdout }, line) {
  const answer = once(stdout, 'data');
  stdin.write(`${line}\n`);
  return Number(`${(await answer)[0]}`);
}

/** `{ runs, ms }` of so many runs, some of them at once. */
export async function oneRound(run, { runs, inFlight }) {
  let left = runs;
  const from = performance.now();
  const loop = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { runs, ms: performance.now() - from };
}

/** What was opened, to be closed in turn, the last first; also when a later one could not be opened. */
export class Opened {
  #closers = [];

  /** Returns `thing`. */
  own(thing, close) {
    this.#closers.push(() => close(thing));
    return thing;
  }

  async close() {
    for (const close of this.#closers.reverse()) await close();
  }
}

/** Until a cluster's engine knows of so many places. */
export async function knowsPlaces(engine, count) {
  while (engine.info().parallelism < count) await new Promise((resolve) => setTimeout(resolve, 100));
}
