// Calls on files of a sandbox whose program keeps the locks of its files and folder busy: they wait, and
// nobody else does.
import { promises as fs } from 'node:fs';
import type { RunOptions, Sandbox } from '@sbx/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { longestStand } from '../helpers/stand.js';

const sbx = useEngine();
const STAND_MS = paced(150);

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sbx.engine.createSandbox({ limits: { memoryBytes: 256 * MiB, diskBytes: 128 * MiB } });
  await sandbox.writeFile('old', 'x');
  await sandbox.writeFile('new', 'x');
  const limits = { cpuTimeMs: 60_000, wallTimeMs: 60_000 };
  const program = await sandbox.spawn(t('hold-files'), ['12'], { limits, stdout: 'pipe' });
  for await (const chunk of program.stdout!) if (`${chunk}`.includes('ready')) break;
});
afterEach(() => sandbox.close());

const gone = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });

const calls: [string, () => Promise<unknown>][] = [
  ['writing a file', () => sandbox.writeFile('f', 'x')],
  ['writing a new file', () => sandbox.writeFile('n', 'x')],
  ['writing a file from a stream', () => sandbox.writeFile('f', chunks())],
  ['writing a file of the host', () => sandbox.writeFile('f', { hostFile: '/bin/true' })],
  ['adding to a file', () => sandbox.appendFile('f', 'x')],
  ['copying onto a file', () => copyOnto('f', 'g', 'f', 'g')], // by one of its names it is there
  ['copying a file', () => sandbox.copyFile('new', 'copy')],
  ['reading a file that is missing', () => gone(sandbox.readFile('missing'))],
  ['making a folder', () => sandbox.mkdir('a/b', { recursive: true })],
  ['making a link', () => sandbox.symlink('f', 'link')],
  ['renaming onto a file', () => sandbox.rename('old', 'f')],
  ['removing a file that is missing', () => sandbox.rm('missing', { force: true })],
  ['looking for a file that is missing', () => gone(sandbox.stat('missing'))],
  ['the files of another program', () => run({ files: { f: 'x' } })],
  ['a file that another program writes to', () => run({ stdout: { file: 'f' } })],
  ['a file that another program is to read', () => gone(run({ stdin: { file: 'missing' } }))],
  ['a file that is to come out of another', () => run({ copyOut: ['missing'] })],
  ['a program that is missing', () => sandbox.run('./missing').catch(() => undefined)],
];

async function copyOnto(...names: string[]) {
  for (const name of names) await sandbox.copyFile('old', name);
}

const run = (options: RunOptions) => sandbox.run('/bin/true', [], options);

async function* chunks() {
  yield 'x';
}

it.each(calls)('%s keeps nobody waiting', async (_name, call) => {
  expect(await longestStand(call)).toBeLessThan(STAND_MS);
});

it('many calls leave the host its threads', async () => {
  const many = Array.from({ length: 8 }, (_, index) => sandbox.writeFile('f', `${index}`));
  const startedAt = performance.now();
  await fs.stat('/');
  expect(performance.now() - startedAt).toBeLessThan(STAND_MS);
  await Promise.all(many);
});

it('those that wait end with the sandbox', async () => {
  const closed = { code: 'SBX_CLOSED' };
  const many = Array.from({ length: 8 }, (_, index) => sandbox.writeFile(`n${index}`, 'x'));
  const ends = Promise.allSettled(many);
  await sandbox.close();
  for (const end of await ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(closed);
});
