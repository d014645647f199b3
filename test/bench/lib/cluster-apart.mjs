// A worker on CPUs of its own beside a local engine on as many. `node … WORKER_CPUS SLOTS ROUNDS RUNS`, on
// the CPUs of broker and submitter. Writes the rounds of both as JSON.
import { ClusterEngine } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { knowsPlaces, oneRound, startScript } from './cluster-parts.mjs';
import { LIMITS } from './contenders.mjs';
import { startBroker } from './nats.mjs';

const [cpus, ...counts] = process.argv.slice(2);
const [slots, count, runs] = counts.map(Number);
const broker = await startBroker();
const worker = await startScript('cluster-worker.mjs', [broker.url, slots + 2], cpus);
const local = await Engine.open({ parallelism: slots });
const cluster = await ClusterEngine.open({ servers: broker.url });
await knowsPlaces(cluster, slots + 2);
const rounds = { local: [], clustered: [] };
for (let round = -1; round < count; round += 1) {
  for (const [name, engine] of [
    ['local', local],
    ['clustered', cluster],
  ]) {
    const run = () => engine.run('/bin/true', [], { limits: LIMITS });
    const one = await oneRound(run, { runs, inFlight: slots * 4 });
    if (round >= 0) rounds[name].push(one);
  }
}
process.stdout.write(JSON.stringify(rounds));
await cluster.close();
await local.close();
worker.kill('SIGKILL');
await broker.stop();
