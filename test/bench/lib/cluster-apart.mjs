// A worker on CPUs of its own: runs by the cluster beside runs on the worker's engine without it. `node …
// WORKER_CPUS SLOTS ROUNDS RUNS IN_FLIGHT`, on the CPUs of broker and submitter. Writes the rounds of both as
// JSON.
import { ClusterEngine } from '@sbx/cluster';
import { askWorker, knowsPlaces, Opened, oneRound, startScript } from './cluster-parts.mjs';
import { LIMITS } from './contenders.mjs';
import { startBroker } from './nats.mjs';

/** Rounds that do not count: it takes some thousand jobs until V8 has compiled what runs often. */
const WARM_ROUNDS = 20;

const [cpus, ...counts] = process.argv.slice(2);
const [slots, count, runs, inFlight] = counts.map(Number);
const opened = new Opened();
try {
  const broker = opened.own(await startBroker(), (it) => it.stop());
  const worker = opened.own(await startScript('cluster-worker.mjs', [broker.url, slots], cpus), (it) =>
    it.kill('SIGKILL'),
  );
  const cluster = opened.own(await ClusterEngine.open({ servers: broker.url }), (it) => it.close());
  await knowsPlaces(cluster, slots);
  const run = () => cluster.run('/bin/true', [], { limits: LIMITS });
  const rounds = { local: [], clustered: [] };
  for (let round = -WARM_ROUNDS; round < count; round += 1) {
    const local = { runs, ms: await askWorker(worker, `local ${runs} ${inFlight}`) };
    const clustered = await oneRound(run, { runs, inFlight });
    if (round < 0) continue;
    rounds.local.push(local);
    rounds.clustered.push(clustered);
  }
  process.stdout.write(JSON.stringify(rounds));
} finally {
  await opened.close();
}
