// `sbx run --watch`: a change of what it reads runs it again; one process is interrupted at its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SBX, sbx } from './sbx.js';

let folder = '';
const file = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function startWatch(args: readonly string[], stdin: number | 'ignore' = 'ignore') {
  const child = spawn(process.execPath, [SBX, 'run', '--watch', ...args], {
    env: { PATH: process.env.PATH },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  }
  return {
    texts,
    shown: (text: string) => expect.poll(() => texts.stdout, { timeout: 10_000 }).toContain(text),
    waits: () => expect.poll(() => texts.stderr, { timeout: 10_000 }).toContain('waits for a change'),
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT');
      const [code] = await once(child, 'close');
      return code;
    },
  };
}

test('the program, a file beside it and the file of stdin: each change runs it again', async () => {
  writeFileSync(file('main.py'), 'print("first", open("data").read(), input())');
  writeFileSync(file('data'), 'd1');
  writeFileSync(file('input'), 'i1\n');
  const watch = startWatch(['--file', file('data'), file('main.py')], openSync(file('input'), 'r'));
  await watch.shown('first d1 i1\n');
  await watch.waits();
  writeFileSync(file('data'), 'd2');
  await watch.shown('first d2 i1\n');
  writeFileSync(file('input'), 'i2\n');
  await watch.shown('first d2 i2\n');
  writeFileSync(file('new'), 'print("second", input())');
  renameSync(file('new'), file('main.py')); // as editors save
  await watch.shown('second i2\n');
  expect(await watch.interrupt()).toBe(130);
  expect(watch.texts.stdout).toBe('first d1 i1\nfirst d2 i1\nfirst d2 i2\nsecond i2\n');
});

test('a change ends the run that still goes on, and other files do not', async () => {
  writeFileSync(file('main.sh'), 'echo begun; sleep 60');
  const watch = startWatch([file('main.sh')]);
  await watch.shown('begun\n');
  writeFileSync(file('other'), '');
  writeFileSync(file('main.sh'), 'echo again; sleep 60');
  await watch.shown('again\n');
  expect(await watch.interrupt()).toBe(130);
  expect(watch.texts.stdout).toBe('begun\nagain\n');
});

test('with nothing to watch it is wrong usage', async () => {
  const { code, stderr } = await sbx(['run', '--watch', '--', 'true']);
  expect(code).toBe(64);
  expect(stderr).toContain('--watch: there is no file to watch');
});
