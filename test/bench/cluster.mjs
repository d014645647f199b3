/**
 * A run of /bin/true by a worker of a cluster beside the same run on the worker's engine without the cluster,
 * and beside an echo of as many bytes over a JetStream work queue, and over BullMQ, with nothing of ours
 * around it. Broker, worker and submitter are three processes of one machine.
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ClusterEngine } from '@sbx/cluster';
import { openBullmqEcho } from './lib/bullmq.mjs';
import { askWorker, knowsPlaces, Opened, oneRound, startScript } from './lib/cluster-parts.mjs';
import { measureSpread } from './lib/cluster-spread.mjs';
import { LIMITS } from './lib/contenders.mjs';
import { figure, rateRatio, skipped } from './lib/figures.mjs';
import { connect, headers, jetstream, startBroker } from './lib/nats.mjs';
import { p50, pairwise, sum } from './lib/stats.mjs';

export const title =
  'cluster: a run by a worker, beside a local run and bare echoes over JetStream and BullMQ';

const SAMPLES = 1000;
const ROUNDS = 10;
const ROUND_RUNS = 200;
/** Of each contender, before anything counts: code is compiled in them. */
const WARM_RUNS = 500;
/** For each CPU. */
const IN_FLIGHT = 4;
const JOB_BYTES = 400;
/** What the broker may add to a local run, in ms. */
const ADDED_MS = 0.6;
/** Of the local rate. */
const RATE_BAR = 0.85;

export async function measure({ scale }) {
  const slots = availableParallelism();
  const opened = new Opened();
  try {
    const broker = opened.own(await startBroker(), (it) => it.stop());
    // More places than CPUs: the next job is there when one ends.
    const places = slots + 2;
    const [worker] = await Promise.all(
      ['cluster-worker.mjs', 'cluster-echo.mjs'].map(async (name) =>
        opened.own(await startScript(name, [broker.url, places]), (it) => it.kill('SIGKILL')),
      ),
    );
    const cluster = opened.own(await ClusterEngine.open({ servers: broker.url }), (it) => it.close());
    await knowsPlaces(cluster, places);
    const echo = opened.own(await openEcho(broker.url), (it) => it.close());
    const bullmq = opened.own(await openBullmqEcho(JOB_BYTES, places), (it) => it.close?.());
    // Each does so many runs, some of them at once, and says how long they took, in ms.
    const contenders = {
      local: (runs, inFlight) => askWorker(worker, `local ${runs} ${inFlight}`),
      clustered: timed(() => cluster.run('/bin/true', [], { limits: LIMITS })),
      echo: timed(() => echo.send()),
      ...(bullmq.missing === undefined ? { bullmq: timed(() => bullmq.send()) } : {}),
    };
    for (const runs of Object.values(contenders)) await runs(WARM_RUNS, slots);
    const times = await latencies(contenders, Math.ceil(SAMPLES * scale));
    const { rounds, brokerMs, jobs } = await rates(contenders, broker, Math.max(2, ROUNDS * scale), slots);
    const figures = [
      ...toFigures(times, rounds, brokerMs / jobs),
      ...bullmqFigures(times, rounds, bullmq.missing),
    ];
    figures.push(measureApart(scale));
    return [...figures, ...(await measureSpread({ scale }))];
  } finally {
    await opened.close();
  }
}

function toFigures({ local, clustered, echo }, rounds, brokerMs) {
  const added = clustered.map((ms, index) => ms - local[index]);
  const addedMs = p50(clustered) - p50(local);
  return [
    figure({ name: 'local run', unit: 'ms', samples: local }),
    figure({ name: 'clustered run', unit: 'ms', samples: clustered }),
    figure({ name: 'bare echo', unit: 'ms', samples: echo }),
    figure({
      name: 'added by the cluster',
      unit: 'ms',
      samples: added,
      value: addedMs,
      bar: ADDED_MS,
    }),
    // The same on fast and slow machines.
    figure({
      name: 'added by the cluster / bare echo',
      unit: 'ratio',
      samples: pairwise(added, echo),
      value: addedMs / p50(echo),
    }),
    rateFigure('local runs', rounds.local),
    rateFigure('clustered runs', rounds.clustered),
    rateFigure('bare echoes', rounds.echo),
    rateRatio({
      name: 'clustered rate / local rate',
      above: rounds.clustered,
      below: rounds.local,
      bar: RATE_BAR,
    }),
    figure({ name: 'broker CPU per job', unit: 'ms', samples: [brokerMs] }),
  ];
}

function rateFigure(name, all) {
  const rateOf = (rounds) => sum(rounds.map(({ runs }) => runs)) / (sum(rounds.map(({ ms }) => ms)) / 1000);
  const samples = all.map((each) => rateOf([each]));
  return figure({ name, unit: '1/s', samples, value: rateOf(all), better: 'more' });
}

function bullmqFigures(times, rounds, missing) {
  const [echo, echoes] = ['BullMQ echo', 'BullMQ echoes'];
  if (missing === undefined) {
    return [figure({ name: echo, unit: 'ms', samples: times.bullmq }), rateFigure(echoes, rounds.bullmq)];
  }
  return [
    skipped({ name: echo, unit: 'ms', why: missing }),
    skipped({ name: echoes, unit: '1/s', why: missing }),
  ];
}

/** A half of the CPUs for the worker, as many for broker and submitter. */
function measureApart(scale, cpus = availableParallelism()) {
  const name = 'clustered rate / local rate, worker on CPUs of its own';
  if (cpus < 2) return skipped({ name, unit: 'ratio', why: 'this machine has one CPU' });
  const half = Math.floor(cpus / 2);
  const script = join(import.meta.dirname, 'lib/cluster-apart.mjs');
  const counts = [half + 2, Math.max(2, ROUNDS * scale), ROUND_RUNS, (half + 2) * IN_FLIGHT].map(String);
  const own = [process.execPath, script, `${half}-${2 * half - 1}`, ...counts];
  const output = execFileSync('taskset', ['-c', `0-${half - 1}`, ...own], { encoding: 'utf8' });
  const { clustered, local } = JSON.parse(output);
  return rateRatio({ name, above: clustered, below: local, bar: RATE_BAR });
}

const timed = (run) => async (runs, inFlight) => (await oneRound(run, { runs, inFlight })).ms;

async function latencies(contenders, count) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const names = Object.keys(contenders);
  for (let index = 0; index < count; index += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(index + place) % names.length];
      times[name].push(await contenders[name](1, 1));
    }
  }
  return times;
}

async function rates(contenders, broker, count, slots) {
  const rounds = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  let brokerMs = 0;
  let jobs = 0;
  for (let round = 0; round < count; round += 1) {
    for (const [name, runs] of Object.entries(contenders)) {
      const before = broker.cpuTimeMs();
      rounds[name].push({ runs: ROUND_RUNS, ms: await runs(ROUND_RUNS, slots * IN_FLIGHT) });
      if (name !== 'clustered') continue;
      brokerMs += broker.cpuTimeMs() - before;
      jobs += ROUND_RUNS;
    }
  }
  return { rounds, brokerMs, jobs };
}

async function openEcho(servers) {
  const connection = await connect({ servers });
  const client = jetstream(connection);
  const bytes = new Uint8Array(JOB_BYTES);
  const waiting = new Map();
  let next = 0;
  connection.subscribe('reply.*', {
    callback(_error, message) {
      waiting.get(message.subject)();
      waiting.delete(message.subject);
    },
  });
  return {
    send() {
      const reply = `reply.${next++}`;
      const told = headers();
      told.set('reply', reply);
      return new Promise((resolve, reject) => {
        waiting.set(reply, resolve);
        client.publish('echo.job', bytes, { headers: told }).catch(reject);
      });
    },
    close: () => connection.close(),
  };
}
