/**
 * System calls of the addon made to fail, one at a time: what was asked for fails with an error of ours, or
 * does without. Nothing is left behind, and the next run is as if nothing had been.
 */
import { Engine, type EngineInfo, isSbxError } from '@sbx/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { engineOptions, KiB, t } from '../helpers/engine.js';
import { type AddonCall, CallTable, errorsWithFault } from '../helpers/faults.js';
import { expectNothingLeft, type Footprint, settledFootprint } from '../helpers/leaks.js';

const EIO = 5;
/** Of calls that are made often, the first. */
const EACH_MAX = 5;
/**
 * close, exit, munmap, rt_sigprocmask, exit_group: they do not fail, or nobody could do anything about it.
 * setfsuid, setfsgid: they do not tell a failure; what follows from one is in
 * native/test/file_identity_test.cc.
 */
const NEVER = process.arch === 'x64' ? [3, 60, 11, 14, 231, 122, 123] : [57, 93, 215, 135, 94, 151, 152];

let table: CallTable;
let before: Footprint;
let usual: EngineInfo; // of an engine that opened

beforeAll(async () => {
  table = new CallTable();
  before = await settledFootprint();
}, 300_000); // builds an addon
afterAll(() => table.close());

const options = engineOptions({ parallelism: 1, readyCount: 1 });

/** Every part of the addon has work to do. */
async function exercise(engine: Engine): Promise<void> {
  await engine.run('/bin/cat', ['f', 'd/g'], {
    files: { f: 'x', 'd/g': { text: 'y' }, h: { hostFile: '/etc/hostname' }, l: { symlink: 'f' } },
    stdin: { hostFile: '/etc/hostname', seekable: true },
    copyOut: ['f'],
  });
  await engine.run('/bin/cat', [], { stdin: { text: 'x'.repeat(200 * KiB) } });
  await engine.run(t('true'), [], { pty: {} });
  await engine.runGroup({
    programs: [
      { file: t('flood'), args: ['1', '100000'] },
      { file: t('sum-fd'), args: ['0'] },
    ],
    pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 }, record: { maxBytes: 100 } }],
  });
  await using sandbox = await engine.createSandbox();
  await sandbox.writeFile('a/b', 'text');
  await sandbox.rename('a/b', 'c');
  await sandbox.symlink('c', 'e');
  await sandbox.readFile('c');
  await sandbox.appendFile('c', ' and more');
  await sandbox.copyFile('c', 'a/copy');
  await sandbox.mkdir('a/x/y/z', { recursive: true });
  await sandbox.readdir();
  await sandbox.rm('a', { recursive: true });
  await using program = await sandbox.spawn('/bin/cat', [], { stdin: 'pipe' });
  await sandbox.appendFile('c', ' beside it');
  await sandbox.copyFile('c', 'copy');
  await sandbox.rename('copy', 'moved');
  program.kill();
  await program.result;
}

/** What `exercise` makes on this machine. */
async function learn(): Promise<AddonCall[]> {
  const engine = await Engine.open(options);
  usual = engine.info();
  await exercise(engine);
  await engine.close();
  return [...table.made()]
    .filter(([number]) => !NEVER.includes(number))
    .flatMap(([number, times]) =>
      Array.from({ length: Math.min(times, EACH_MAX) }, (_, skip) => ({ number, skip })),
    );
}

const errorsOf = () => errorsWithFault(options, exercise, (info) => expectNothingLeft(before, info ?? usual));

it('is an error of ours, leaves nothing, and the next run is fine', async () => {
  const calls = await learn();
  expect(calls.length).toBeGreaterThan(60); // the addon with the table is the one in use
  const wrong: string[] = [];
  for (const call of calls) {
    table.arm(call, EIO);
    const errors = await errorsOf().catch((error) => [new Error(`afterwards: ${error}`)]);
    table.disarm();
    const odd = errors.filter((error) => !isSbxError(error));
    if (odd.length > 0) before = await settledFootprint();
    if (odd.length > 0) wrong.push(`call ${call.number}, ${call.skip}: ${odd.map(String).join(', ')}`);
  }
  expect(wrong).toEqual([]);
}, 300_000);
