/**
 * Each step of zygote, keeper, init and launch made to fail once. The error names the step, nothing is left
 * behind, and the next run is as if nothing had been.
 */
import { DEFAULT_MOUNTS, Engine, type EngineOptions, isSbxError, type OneShotOptions } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineOptions, MiB, t } from '../helpers/engine.js';
import { errorsWithFault, FaultTable, type Step } from '../helpers/faults.js';
import { expectNothingLeft, type Footprint, settledFootprint } from '../helpers/leaks.js';

const EIO = 5;
const EBUSY = 16;

let table: FaultTable;
let before: Footprint;

beforeAll(async () => {
  table = new FaultTable();
  before = await settledFootprint();
}, 300_000); // builds a helper
afterAll(() => table.close());

const options: EngineOptions = engineOptions({
  parallelism: 1,
  readyCount: 1,
  maskPaths: ['/etc/motd', '/folder'],
  seccomp: { defaultAction: 'allow', rules: [] },
  mounts: [
    ...DEFAULT_MOUNTS,
    { kind: 'tmpfs', target: '/scratch', sizeBytes: MiB },
    { kind: 'symlink', target: '/link', to: '/usr' },
    { kind: 'dir', target: '/folder' },
    { kind: 'file', target: '/etc/motd', text: 'hello' },
  ],
});

/**
 * Every part of the helper has work to do: an own group, a terminal, a loopback, files of init's, a program
 * beside another.
 */
async function exercise(engine: Engine): Promise<void> {
  const run = (more: OneShotOptions) => engine.run(t('true'), [], more);
  await run({ files: { f: 'x' } });
  await run({ network: 'loopback', fds: { 3: { input: { text: 'x' } } } });
  await run({ stdin: { text: 'x', seekable: true }, stdout: { file: 'o', collect: { maxBytes: 100 } } });
  await run({ pty: {} });
  await run({ limits: { cpuRate: 0.5, memoryBytes: 32 * MiB } });
  await using sandbox = await engine.createSandbox();
  await using first = await sandbox.spawn(t('sleep-ms'), ['60000']);
  await sandbox.run(t('true'), [], { limits: { memoryBytes: 16 * MiB } });
  first.kill();
  await first.result;
}

/** What `exercise` reaches on this machine. */
async function learn(): Promise<Step[]> {
  const engine = await Engine.open(options);
  await exercise(engine);
  await engine.close();
  return table.seen();
}

const errorsOf = () =>
  errorsWithFault(options, exercise, async (info) => {
    if (info !== null) await expectNothingLeft(before, info);
  });

const isNamed = (error: unknown, { stage, index }: Step) =>
  isSbxError(error) &&
  error.details.errno === EIO &&
  ((error.details.stage === stage && error.details.index === index) ||
    (stage === 'output' && error.details.path === 'o')); // told as a path that cannot be written to

const textOf = (error: unknown) =>
  isSbxError(error) ? `${error.code} ${JSON.stringify(error.details)}` : String(error);

describe('every step made to fail once', () => {
  it('is named by the error, leaves nothing, and the next run is fine', async () => {
    const steps = await learn();
    expect(steps.length).toBeGreaterThan(100); // the helper with the table is the one in use
    const wrong: string[] = [];
    for (const step of steps) {
      table.arm(step, EIO);
      const errors = await errorsOf().catch((error) => [new Error(`afterwards: ${error}`)]);
      const reached = !table.disarm();
      if (reached && errors.length > 0 && errors.every((error) => isNamed(error, step))) continue;
      wrong.push([step.stage, step.index, reached ? '' : 'not reached', ...errors.map(textOf)].join(' '));
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});

describe('a bound that the kernel refuses', () => {
  it('as the group has come to hold more meanwhile is written anew, and the program runs', async () => {
    const engine = await Engine.open(options);
    try {
      for (const memoryBytes of [32 * MiB, 16 * MiB]) {
        table.arm({ stage: 'cgroupWrite', index: 0 }, EBUSY);
        const { status } = await engine.run(t('true'), [], { limits: { memoryBytes } });
        expect([status, table.disarm()]).toEqual(['ok', false]);
      }
    } finally {
      await engine.close();
    }
  });
});
