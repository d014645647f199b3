/**
 * `sbx bench`: a confined, measured run beside a bare spawn of the same program, in turn, so that noise hits
 * both.
 */
import { spawn } from 'node:child_process';
import { availableParallelism, release } from 'node:os';
import type { Engine } from '@sbx/core';
import { EXIT } from '../exit-codes.js';
import type { BenchFlags } from '../flags.js';
import { openEngine } from '../open-engine.js';
import { formatTable, painterFor, printJson } from '../terminal.js';
import { formatDuration, parseCount } from '../units.js';
import { UsageError } from '../usage-error.js';

const PROGRAM = '/bin/true';
const WARM_UP_RUNS = 20;
const RUNS_MAX = 100_000;
/** Design target for the median of a sandboxed run over that of a bare spawn. */
const RATIO_BAR = 0.75;
const BAR_COLUMNS = 32;

/** The shape of test/bench, so that the same tools read both. */
interface Figure {
  name: string;
  value: number;
  unit: 'ms' | 'ratio';
  bar: number | null;
  better: 'less';
  holds: boolean;
  samples: number;
  p50: number;
  p99: number;
}

export async function benchCommand({ runs, json = false, allowDegraded }: BenchFlags): Promise<number> {
  const count = parseCount(runs, '--runs');
  if (count < 1 || count > RUNS_MAX) throw new UsageError(`--runs: must be 1 to ${RUNS_MAX}`);
  const engine = await openEngine(allowDegraded);
  try {
    const figures = await measure(engine, count);
    if (json) printJson({ version: 1, ...machine(engine), figures });
    else printFigures(figures);
  } finally {
    await engine.close();
  }
  return EXIT.ok;
}

async function measure(engine: Engine, count: number): Promise<Figure[]> {
  const bare: number[] = [];
  const confined: number[] = [];
  for (let round = -WARM_UP_RUNS; round < count; round++) {
    const times = [await timeOf(spawnBare), await timeOf(() => runConfined(engine))] as const;
    if (round < 0) continue;
    bare.push(times[0]);
    confined.push(times[1]);
  }
  const spawned = timeFigure('spawn', bare);
  const run = timeFigure('run', confined);
  return [spawned, run, ratioFigure(run, spawned)];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Three pipes, until all of them are closed: what a caller of `child_process` waits for. */
function spawnBare(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, [], { stdio: 'pipe' });
    child.once('error', reject);
    child.once('close', () => resolve());
    child.stdout.resume();
    child.stderr.resume();
  });
}

async function runConfined(engine: Engine): Promise<void> {
  const result = await engine.run(PROGRAM);
  result.orThrow();
}

function timeFigure(name: string, times: readonly number[]): Figure {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  const [p50, p99] = [at(0.5), at(0.99)];
  const figure = { name, value: p50, unit: 'ms', bar: null, better: 'less', holds: true } as const;
  return { ...figure, samples: times.length, p50, p99 };
}

function ratioFigure(run: Figure, spawned: Figure): Figure {
  const p50 = rounded(run.p50 / spawned.p50);
  const p99 = rounded(run.p99 / spawned.p99);
  const figure = {
    name: 'run_over_spawn_p50',
    value: p50,
    unit: 'ratio',
    bar: RATIO_BAR,
    better: 'less',
  } as const;
  return { ...figure, holds: p50 <= RATIO_BAR, samples: run.samples, p50, p99 };
}

function machine(engine: Engine) {
  const { cgroup } = engine.info();
  return {
    bench: 'cli',
    node: process.versions.node,
    kernel: release(),
    cgroup: cgroup.version,
    cpus: availableParallelism(),
  };
}

function printFigures(figures: readonly Figure[]): void {
  const titles: Readonly<Record<string, string>> = {
    spawn: 'child_process.spawn, no sandbox',
    run: 'sandboxed run',
    run_over_spawn_p50: 'sandboxed over bare',
  };
  const text = (value: number, unit: Figure['unit']) =>
    unit === 'ms' ? formatDuration(value) : value.toFixed(2);
  const longest = Math.max(...figures.filter(({ unit }) => unit === 'ms').map(({ p50 }) => p50));
  const rows = figures.map(({ name, unit, p50, p99 }) => [
    titles[name] ?? name,
    text(p50, unit),
    text(p99, unit),
    unit === 'ms' ? barOf(p50 / longest) : '',
  ]);
  const samples = figures[0]!.samples;
  process.stdout.write(
    formatTable([`${PROGRAM}, ${samples} runs each`, 'p50', 'p99', ''], rows, painterFor(process.stdout)),
  );
}

/** A share of the longest bar, to be seen beside the others. */
function barOf(share: number): string {
  return '█'.repeat(Math.max(1, Math.round(share * BAR_COLUMNS)));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
