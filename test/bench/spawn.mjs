/**
 * What one run costs, next to Node's unconfined spawn. Latency: one after another, the contenders taking
 * turns sample by sample. Rates: short batches at each concurrency, taking turns batch by batch, back to back
 * inside a batch, so that what an answer leaves to clean up or make ready is paid inside the batch.
 */
import { Engine } from '@sbx/core';
import { makeContenders } from './lib/contenders.mjs';
import { figure, rateRatio, ratioOf } from './lib/figures.mjs';
import { machineCpuMs } from './lib/machine.mjs';
import { p50, p99, sum } from './lib/stats.mjs';
import { settle, timed } from './lib/wait.mjs';

export const title =
  'cost of one run of /bin/true: fresh sandbox, standing sandbox, and others, against child_process.spawn';

const LATENCY_SAMPLES = 1000;
/** Peers take several times as long: every so many rounds is enough for their median. */
const PEER_EVERY = 8;
const WARM_UP = 50;
const CONCURRENCIES = [1, 2, 4, 8];
const ROUNDS = 12;
const RUNS_PER_LANE = 24;

/** Whoever goes first in a round differs from round to round. */
const rotated = (list, by) => list.map((_, i) => list[(i + by) % list.length]);

async function measureLatency(engine, { ours, peers }, samples) {
  const times = new Map([...ours, ...peers].map(({ name }) => [name, []]));
  const bareForPeers = [];
  for (let i = 0; i < samples; i++) {
    const withPeers = i % PEER_EVERY === 0;
    for (const { name, run } of rotated(withPeers ? [...ours, ...peers] : ours, i)) {
      await settle(engine);
      times.get(name).push(await timed(() => run(0)));
    }
    if (withPeers) bareForPeers.push(times.get('spawn').at(-1));
  }
  return { times, bareForPeers };
}

async function runBatch(run, concurrency, runsPerLane) {
  const loop = async (_, number) => {
    for (let i = 0; i < runsPerLane; i++) await run(number);
  };
  return timed(() => Promise.all(Array.from({ length: concurrency }, loop)));
}

/**
 * Adds to `cpu` what the whole machine spent, including what the contender left to do after its last answer.
 */
async function measureRates(engine, contenders, { concurrency, rounds, cpu }) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of rotated(contenders, round)) {
      await settle(engine, 5);
      const before = machineCpuMs();
      const ms = await runBatch(run, concurrency, RUNS_PER_LANE);
      await settle(engine, 5);
      const runs = RUNS_PER_LANE * concurrency;
      results.get(name).push({ runs, ms });
      cpu.get(name).push({ runs, ms: machineCpuMs() - before });
    }
  }
  return results;
}

const BARS = {
  run: { p50: 0.75, p99: 1, rate_c2: 1.5 },
};

function latencyFigures(ours, { times }) {
  const below = times.get('spawn');
  return ours.flatMap(({ name }) => {
    const above = times.get(name);
    const own = figure({ name: `${name}_ms`, unit: 'ms', samples: above });
    if (name === 'spawn') return [own];
    return [
      own,
      ratioOf(p50, { name: `${name}_over_spawn_p50`, above, below, bar: BARS[name]?.p50 }),
      ratioOf(p99, { name: `${name}_over_spawn_p99`, above, below, bar: BARS[name]?.p99 }),
    ];
  });
}

function peerFigures(peers, { times, bareForPeers }) {
  return peers.flatMap(({ name }) => {
    const above = times.get(name);
    return [
      figure({ name: `${name}_ms`, unit: 'ms', samples: above }),
      ratioOf(p50, { name: `${name}_over_spawn_p50`, above, below: bareForPeers }),
    ];
  });
}

function rateFigures(contenders, concurrency, results) {
  const below = results.get('spawn');
  return contenders.flatMap(({ name }) => {
    const above = results.get(name);
    const samples = above.map(({ runs, ms }) => (runs / ms) * 1000);
    const own = figure({ name: `${name}_rate_c${concurrency}`, unit: 'runs/s', samples, better: 'more' });
    if (name === 'spawn') return [own];
    const ratio = { name: `${name}_over_spawn_rate_c${concurrency}`, above, below };
    return [own, rateRatio({ ...ratio, bar: BARS[name]?.[`rate_c${concurrency}`] })];
  });
}

/** Ticks of 10 ms are coarse for one batch: the figure is the sum over all of them. */
function cpuFigures(contenders, cpu) {
  const perRun = (rounds) => sum(rounds.map((round) => round.ms)) / sum(rounds.map((round) => round.runs));
  const below = perRun(cpu.get('spawn'));
  return contenders.flatMap(({ name }) => {
    const rounds = cpu.get(name);
    const samples = rounds.map(({ runs, ms }) => ms / runs);
    const own = figure({ name: `machine_cpu_per_${name}`, unit: 'ms', samples, value: perRun(rounds) });
    if (name === 'spawn') return [own];
    const ratios = samples.map((value) => value / below);
    const ratio = {
      name: `${name}_over_spawn_machine_cpu`,
      unit: 'ratio',
      samples: ratios,
      value: perRun(rounds) / below,
    };
    return [own, figure(ratio)];
  });
}

export async function measure({ scale }) {
  const engine = await Engine.open();
  const contenders = await makeContenders(engine);
  const { ours, peers } = contenders;
  for (const { run } of ours) for (let i = 0; i < WARM_UP; i++) await run(0);

  const latency = await measureLatency(engine, contenders, LATENCY_SAMPLES * scale);
  const figures = [...latencyFigures(ours, latency), ...peerFigures(peers, latency)];

  const cpu = new Map([...ours, ...peers].map(({ name }) => [name, []]));
  for (const concurrency of CONCURRENCIES) {
    const results = await measureRates(engine, ours, {
      concurrency,
      rounds: Math.max(1, ROUNDS * scale),
      cpu,
    });
    figures.push(...rateFigures(ours, concurrency, results));
    if (concurrency !== 2 || peers.length === 0) continue;
    const all = [ours[0], ...peers];
    figures.push(
      ...rateFigures(all, 2, await measureRates(engine, all, { concurrency: 2, rounds: 1, cpu })).filter(
        (row) => row.name !== 'spawn_rate_c2',
      ),
    );
  }
  figures.push(...cpuFigures([...ours, ...peers], cpu));
  await contenders.close();
  await engine.close();
  return figures;
}
