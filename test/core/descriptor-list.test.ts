/**
 * What is open in init and in a child right before its exec, where names are resolved, is on the written list
 * of native/README.md, and no folder of the host is among it. The program's file is open for writing
 * meanwhile, so that the start waits there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../helpers/as-user.js';
import { paced } from '../helpers/pace.js';
import { type DescriptorRow, hostDevices, starting } from '../helpers/starting.mjs';
import { sleep } from '../helpers/wait.js';

const KINDS = [
  'one-shot',
  'one-shot with files',
  'session',
  'later in a session',
  'beside another',
  'group',
  'terminal',
  'standby',
];
const SAMPLES = 5;
const WITHIN_MS = paced(10_000);

/** A table between two marks of a page: cells of its rows. */
function tableOf(text: string, mark: string): string[][] {
  const part = text.split(`<!-- ${mark} -->`)[1]?.split(`<!-- end: ${mark} -->`)[0] ?? '';
  const rows = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const readme = readFileSync(new URL('../../native/README.md', import.meta.url), 'utf8');
const list = tableOf(readme, 'descriptors').map(([name = '', pattern = '']) => ({
  name,
  pattern: new RegExp(`^(?:${pattern.replaceAll('`', '').replaceAll('\\|', '|')})`),
}));

let folder = '';
const host = hostDevices();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'descriptor-list-'));
  chmodSync(folder, 0o755);
  copyFileSync('/bin/true', join(folder, 'busy'));
  chmodSync(join(folder, 'busy'), 0o777); // an ordinary user opens it for writing, too
  // The checkout may be where only root can go.
  const core = dirname(fileURLToPath(import.meta.resolve('@sbx/core/package.json')));
  for (const part of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(core, part), join(folder, 'core', part), { recursive: true });
  cpSync(new URL('../helpers/busy-program.mjs', import.meta.url), join(folder, 'busy-program.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts that stand right before their exec, in a process of their own; it is gone afterwards. */
async function startsOf(kind: string, user?: number): Promise<ReturnType<typeof starting>> {
  const index = pathToFileURL(join(folder, 'core/dist/index.js')).href;
  const command = [process.execPath, join(folder, 'busy-program.mjs'), index, folder, kind];
  const become =
    user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const [file = '', ...args] = [...become, ...command];
  const process_: ChildProcess = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: '/tmp' },
  });
  let errors = '';
  process_.stderr!.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise((resolve) => process_.once('close', resolve));
  const samples: ReturnType<typeof starting> = [];
  try {
    for (const end = performance.now() + WITHIN_MS; samples.length < SAMPLES && performance.now() < end; ) {
      await sleep(3);
      samples.push(...starting(process_.pid!));
    }
  } finally {
    process_.kill('SIGKILL');
    await ended;
  }
  expect(samples.length, `nothing stood before its exec: ${errors}`).toBeGreaterThan(0);
  return samples;
}

/**
 * What is left in a child that is about to execute: the program's own, and the pipe that tells how the launch
 * went.
 */
const OF_CHILD = ['standard streams', 'terminal', 'null', 'inputs and copies', 'outputs'];
/** Closed by then: nobody needs them once the first program's files are made. */
const ofInit = list.filter(({ name }) => name !== 'own file systems');

function check(rows: readonly DescriptorRow[], allowed: typeof list): string[] {
  return rows.flatMap(({ fd, target, folder: device }) => [
    ...(device !== null && host.has(device) ? [`${fd} is a folder of the host: ${target}`] : []),
    ...(allowed.some(({ pattern }) => pattern.test(target)) ? [] : [`${fd} is not on the list: ${target}`]),
  ]);
}

async function expectListed(kind: string, user?: number): Promise<void> {
  const samples = await startsOf(kind, user);
  const seen = samples.flatMap(({ init, child }) => [
    ...check(init, ofInit).map((line) => `init: ${line}`),
    ...check(
      child,
      list.filter(({ name }) => OF_CHILD.includes(name)),
    ).map((line) => `child: ${line}`),
  ]);
  expect([...new Set(seen.map((line) => line.replaceAll(/\d{4,}|\/s\d+/g, 'N')))]).toEqual([]);
}

it('there is a list, and each row of it says why and what it could be abused for', () => {
  const rows = tableOf(readme, 'descriptors');
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) expect(row.filter((cell) => cell !== '')).toHaveLength(4);
});

describe('as root', () => {
  it.each(KINDS)('%s', (kind) => expectListed(kind), WITHIN_MS + 20_000);
});

describe('as an ordinary user', () => {
  const kinds = KINDS.filter((kind) => kind !== 'standby');
  it.each(kinds)('%s', (kind) => expectListed(kind, NOBODY), WITHIN_MS + 20_000);
});
