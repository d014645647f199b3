/**
 * A run of /bin/true by a worker of a cluster beside the same run on this machine's engine, and beside an
 * echo of as many bytes over a JetStream work queue with nothing of ours around it. Broker, worker and
 * submitter are three processes of one machine.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ClusterEngine } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { LIMITS } from './lib/contenders.mjs';
import { figure, rateRatio } from './lib/figures.mjs';
import { connect, headers, jetstream, startBroker } from './lib/nats.mjs';
import { p50, sum } from './lib/stats.mjs';

export const title = 'cluster: a run by a worker, beside a local run and a bare echo over JetStream';

const SAMPLES = 1000;
const ROUNDS = 10;
const ROUND_RUNS = 200;
const JOB_BYTES = 400;
/** What the broker may add to a local run, in ms. */
const ADDED_MS = 0.6;

export async function measure({ scale }) {
  const slots = availableParallelism();
  const broker = await startBroker();
  // More places than CPUs: the next job is there when one ends.
  const peer = await startPeer(broker.url, slots + 2);
  const local = await Engine.open({ parallelism: slots });
  const cluster = await ClusterEngine.open({ servers: broker.url });
  const echo = await openEcho(broker.url);
  try {
    const contenders = {
      local: () => local.run('/bin/true', [], { limits: LIMITS }),
      clustered: () => cluster.run('/bin/true', [], { limits: LIMITS }),
      echo: () => echo.send(),
    };
    for (let index = 0; index < 100; index += 1) for (const run of Object.values(contenders)) await run();
    const times = await latencies(contenders, Math.ceil(SAMPLES * scale));
    const { rounds, brokerMs, jobs } = await rates(contenders, broker, Math.max(2, ROUNDS * scale), slots);
    return toFigures(times, rounds, brokerMs / jobs);
  } finally {
    await cluster.close();
    await echo.close();
    await local.close();
    peer.kill('SIGKILL');
    await broker.stop();
  }
}

function toFigures({ local, clustered, echo }, rounds, brokerMs) {
  const added = clustered.map((ms, index) => ms - local[index]);
  const rateOf = (all) => sum(all.map(({ runs }) => runs)) / (sum(all.map(({ ms }) => ms)) / 1000);
  const rate = (name, all) =>
    figure({
      name,
      unit: '1/s',
      samples: all.map((each) => rateOf([each])),
      value: rateOf(all),
      better: 'more',
    });
  return [
    figure({ name: 'local run', unit: 'ms', samples: local }),
    figure({ name: 'clustered run', unit: 'ms', samples: clustered }),
    figure({ name: 'bare echo', unit: 'ms', samples: echo }),
    figure({
      name: 'added by the cluster',
      unit: 'ms',
      samples: added,
      value: p50(clustered) - p50(local),
      bar: ADDED_MS,
    }),
    rate('local runs', rounds.local),
    rate('clustered runs', rounds.clustered),
    rate('bare echoes', rounds.echo),
    rateRatio({
      name: 'clustered rate / local rate',
      above: rounds.clustered,
      below: rounds.local,
      bar: 0.85,
    }),
    figure({ name: 'broker CPU per job', unit: 'ms', samples: [brokerMs] }),
  ];
}

async function latencies(contenders, count) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const names = Object.keys(contenders);
  for (let index = 0; index < count; index += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(index + place) % names.length];
      const from = performance.now();
      await contenders[name]();
      times[name].push(performance.now() - from);
    }
  }
  return times;
}

async function rates(contenders, broker, count, slots) {
  const rounds = { local: [], clustered: [], echo: [] };
  let brokerMs = 0;
  let jobs = 0;
  for (let round = 0; round < count; round += 1) {
    for (const [name, run] of Object.entries(contenders)) {
      const before = broker.cpuTimeMs();
      rounds[name].push(await oneRound(run, slots * 4));
      if (name !== 'clustered') continue;
      brokerMs += broker.cpuTimeMs() - before;
      jobs += ROUND_RUNS;
    }
  }
  return { rounds, brokerMs, jobs };
}

async function oneRound(run, inFlight) {
  let left = ROUND_RUNS;
  const from = performance.now();
  const loop = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { runs: ROUND_RUNS, ms: performance.now() - from };
}

async function startPeer(url, slots) {
  const script = join(import.meta.dirname, 'lib/cluster-peer.mjs');
  const child = spawn(process.execPath, [script, url, `${slots}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => data.includes('ready') && resolve());
    child.once('exit', reject);
  });
  return child;
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
