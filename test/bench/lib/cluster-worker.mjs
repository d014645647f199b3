// A worker as a process. `node … URL SLOTS`. Lines on stdin are answered on stdout:
//   fetched              bytes of files that it has fetched
//   local RUNS IN_FLIGHT  ms that so many runs of /bin/true take on the worker's engine, without the cluster
import { createInterface } from 'node:readline';
import { startWorker } from '@sbx/cluster';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import { oneRound } from './cluster-parts.mjs';
import { LIMITS } from './contenders.mjs';

const [servers, count] = process.argv.slice(2);
const slots = Number(count);
// As a worker opens it by itself.
const engine = await Engine.open({
  parallelism: slots,
  ceilings: { wallTimeMs: 3_600_000 },
  mounts: [...DEFAULT_MOUNTS, ...TOLD_MEMORY_MOUNTS],
});
const worker = await startWorker({ servers, slots, engine, languages: [] });
const run = () => engine.run('/bin/true', [], { limits: LIMITS });

const COMMANDS = {
  fetched: () => /^sbx_worker_cache_fetched_bytes_total (\d+)$/m.exec(worker.metrics())[1],
  local: async (runs, inFlight) =>
    (await oneRound(run, { runs: Number(runs), inFlight: Number(inFlight) })).ms,
};
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = line.split(' ');
  process.stdout.write(`${await COMMANDS[name](...args)}\n`);
}
