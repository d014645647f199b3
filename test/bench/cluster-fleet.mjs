/**
 * What a broker has to do for 1,000 workers and 10^6 jobs in an hour: its CPU, messages, bytes and writes, of
 * one server and of three that keep a copy each. Workers run no programs (they sleep); all that speaks to the
 * broker is real.
 */
import { ClusterEngine } from '@sbx/cluster';
import { knowsPlaces, Opened, startScript } from './lib/cluster-parts.mjs';
import { figure } from './lib/figures.mjs';
import { loadOf, startBrokers } from './lib/nats-load.mjs';

export const title = 'cluster-fleet: what a broker does for 1,000 workers and 278 jobs in a second';

const WORKERS = 1000;
const SLOTS = 10;
const SUBMITTERS = 4;
const RATE = 278;
const SAMPLE_MS = 30_000;
/** Seconds that a job runs. */
const RUNS = [1, 30];

export async function measure({ scale }) {
  const workers = Math.ceil(WORKERS * scale);
  const rate = RATE * scale;
  return [
    ...(await measureBrokers({ servers: 1, workers, rate })),
    ...(await measureBrokers({ servers: 3, workers, rate })),
  ];
}

async function measureBrokers({ servers, workers, rate }) {
  const opened = new Opened();
  try {
    const brokers = opened.own(await startBrokers(servers), (all) => Promise.all(all.map((it) => it.stop())));
    const urls = brokers.map(({ url }) => url);
    const options = { servers: urls, replicas: servers };
    const engines = [];
    for (let index = 0; index < SUBMITTERS; index += 1) {
      engines.push(opened.own(await ClusterEngine.open(options), (it) => it.close()));
    }
    const script = await startScript('cluster-fleet-workers.mjs', [urls.join(','), workers, SLOTS]);
    opened.own(script, (it) => it.kill());
    for (const engine of engines) await knowsPlaces(engine, workers * SLOTS);
    const name = `${servers} ${servers === 1 ? 'server' : 'servers'}`;
    const idle = await sample(brokers, SAMPLE_MS);
    const figures = toFigures(`${name}, no jobs`, idle);
    for (const seconds of RUNS) {
      const load = startLoad(engines, rate, seconds);
      await pause(1000 * seconds + 2000);
      const before = load.times.length;
      const busy = await sample(brokers, SAMPLE_MS);
      const times = load.times.slice(before);
      figures.push(...toFigures(`${name}, jobs of ${seconds} s`, busy, times));
      await load.stop();
    }
    return figures;
  } finally {
    await opened.close();
  }
}

/** `beyondRun`: of the jobs that ended meanwhile, from call to result, less the time that they ran. */
function toFigures(what, load, beyondRun = null) {
  const row = (name, unit, value) => figure({ name: `${what}: ${name}`, unit, samples: [value] });
  const rows = [
    row('CPU of all servers', 'CPUs', load.cpus),
    row('messages of clients, in', '1/s', load.messagesIn),
    row('messages of clients, out', '1/s', load.messagesOut),
    row('bytes of clients, in', 'KiB/s', load.bytesIn / 1024),
    row('bytes of clients, out', 'KiB/s', load.bytesOut / 1024),
    row('bytes between servers', 'KiB/s', load.bytesOfRoutes / 1024),
    row('written to files', 'KiB/s', load.bytesWritten / 1024),
  ];
  if (beyondRun === null) return rows;
  const name = `${what}: from the call to the result, less the run`;
  return [
    ...rows,
    row('jobs ended', '1/s', (1000 * beyondRun.length) / SAMPLE_MS),
    figure({ name, unit: 'ms', samples: beyondRun }),
  ];
}

/** Per second. */
async function sample(brokers, ms) {
  const before = await loadOf(brokers);
  const from = performance.now();
  await pause(ms);
  const after = await loadOf(brokers);
  const seconds = (performance.now() - from) / 1000;
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, (value - before[name]) / seconds]),
  );
}

/** Jobs at random times, as of a Poisson process, each to the next submitter. */
function startLoad(engines, rate, seconds) {
  const open = new Set();
  const times = [];
  let index = 0;
  let timer = null;
  let due = performance.now();
  let failure = null;
  const keep = (error) => {
    failure ??= error;
  };
  const next = () => {
    while (due <= performance.now()) {
      due += (-Math.log(1 - Math.random()) * 1000) / rate;
      const from = performance.now();
      const run = engines[index++ % engines.length]
        .run('sleep', [`${seconds}`])
        .then(() => times.push(performance.now() - from - 1000 * seconds), keep)
        .finally(() => open.delete(run));
      open.add(run);
    }
    timer = setTimeout(next, due - performance.now());
  };
  next();
  return {
    times,
    async stop() {
      clearTimeout(timer);
      await Promise.all(open);
      if (failure !== null) throw failure;
    },
  };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
