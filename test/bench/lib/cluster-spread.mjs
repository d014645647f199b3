/** What more workers bring: files to four of them, and work that needs a CPU beside one worker's. */
import { availableParallelism } from 'node:os';
import { ClusterEngine } from '@sbx/cluster';
import { askWorker, knowsPlaces, Opened, oneRound, startScript } from './cluster-parts.mjs';
import { figure, rateRatio } from './figures.mjs';
import { startBroker } from './nats.mjs';
import { sum } from './stats.mjs';

const WORKERS = 4;
const MiB = 2 ** 20;
const FILE_BYTES = 100 * MiB;
const FILE_ROUNDS = 3;
/** About 50 ms of a CPU. */
const BUSY = ['-c', 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'];
const BUSY_ROUNDS = 6;
const BUSY_RUNS = 16;
/** One worker has the CPUs busy already; more may cost at most a twentieth. */
const RATE_BAR = 0.95;

export async function measureSpread({ scale }) {
  const cpus = availableParallelism();
  const opened = new Opened();
  try {
    const one = await openCluster(1, cpus, opened);
    const four = await openCluster(WORKERS, cpus, opened);
    const files = await measureFiles(four, Math.max(1, FILE_ROUNDS * scale));
    const rounds = { one: [], four: [] };
    for (let round = 0; round < Math.max(2, BUSY_ROUNDS * scale); round += 1) {
      for (const [name, { engine }] of [
        ['one', one],
        ['four', four],
      ]) {
        const run = () => engine.run('sh', BUSY);
        rounds[name].push(await oneRound(run, { runs: BUSY_RUNS, inFlight: cpus * 4 }));
      }
    }
    const name = `CPU-bound rate, ${WORKERS} workers / 1 (${cpus} cores)`;
    return [...files, rateRatio({ name, above: rounds.four, below: rounds.one, bar: RATE_BAR })];
  } finally {
    await opened.close();
  }
}

async function openCluster(count, slots, opened) {
  const broker = opened.own(await startBroker(), (it) => it.stop());
  const workers = [];
  for (let index = 0; index < count; index += 1) {
    const worker = await startScript('cluster-worker.mjs', [broker.url, slots]);
    workers.push(opened.own(worker, (it) => it.kill('SIGKILL')));
  }
  const engine = opened.own(await ClusterEngine.open({ servers: broker.url }), (it) => it.close());
  await knowsPlaces(engine, count * slots);
  return { engine, workers, slots };
}

/** Another file in each round, to all places of all workers at once. */
async function measureFiles({ engine, workers, slots }, rounds) {
  const seconds = [];
  const perWorker = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await fetchedBytes(workers);
    const options = {
      files: { big: Buffer.alloc(FILE_BYTES, `${round}abcdef`) },
      limits: { diskBytes: 2 * FILE_BYTES },
    };
    const from = performance.now();
    await Promise.all(Array.from({ length: workers.length * slots }, () => engine.run('true', [], options)));
    seconds.push((performance.now() - from) / 1000);
    const after = await fetchedBytes(workers);
    perWorker.push(...after.map((bytes, index) => (bytes - before[index]) / MiB));
  }
  const most = Math.max(...perWorker);
  return [
    figure({ name: `file of 100 MiB to ${WORKERS} workers`, unit: 's', samples: seconds }),
    figure({
      name: 'fetched by the worker that fetched most',
      unit: 'MiB',
      samples: perWorker,
      value: most,
      bar: 100,
    }),
    figure({ name: 'fetched by all for one file', unit: 'MiB', samples: [sum(perWorker) / seconds.length] }),
  ];
}

function fetchedBytes(workers) {
  return Promise.all(workers.map((worker) => askWorker(worker, 'fetched')));
}
