// Folders that are removed with all that is in them, whatever programs have done to them, or do.
import type { Sandbox } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';

const sbx = useEngine();
/** Of CPU time, for 16 384 files: how long a step waits for locks that 50 busy processes hold is theirs. */
const REMOVAL_MS = paced(5000);

/** 50 processes of a sandbox that go on making in the folder `d`. */
async function fill(sandbox: Sandbox, kind: 'files' | 'folders') {
  await sandbox.mkdir('d');
  const limits = { cpuTimeMs: 60_000, wallTimeMs: 60_000 };
  const program = await sandbox.spawn(t('keep-filling'), [kind, 'd', '50'], { limits, stdout: 'pipe' });
  for await (const chunk of program.stdout) if (`${chunk}`.includes('ready')) break;
  return program;
}

/** Whether it was refused: by chance the folder is empty for a moment, and gone then. */
async function removeWhile(kind: 'files' | 'folders'): Promise<boolean> {
  await using sandbox = await sbx.engine.createSandbox({ limits: { memoryBytes: 256 * MiB } });
  const program = await fill(sandbox, kind);
  const before = process.cpuUsage();
  const value = await sandbox.rm('d', { recursive: true }).catch((error) => error);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(REMOVAL_MS);
  program.kill();
  await program.result;
  await sandbox.rm('d', { recursive: true, force: true });
  expect(await sandbox.readdir()).toEqual([]); // nor was anything moved elsewhere
  if (value === undefined) return false;
  expect(value).toMatchObject({ code: 'SBX_FILE_NOT_EMPTY', path: 'd', errnoName: 'ENOTEMPTY' });
  expect(value.message).toContain('End them, or remove it again.');
  return true;
}

it.each(['files', 'folders'] as const)('while %s are made its time is bounded', async (kind) => {
  let isRefused = false;
  for (let turn = 0; turn < 4 && !isRefused; turn += 1) isRefused = await removeWhile(kind);
  expect(isRefused).toBe(true);
});

describe('all goes', () => {
  const MAKE = 'mkdir -p p/d/a/b/c/e/f p/d/g/h; touch p/d/a/b/c/e/f/x;';
  it.each([
    ['below folders that nobody may write to', 'chmod 555 p/d p/d/a p/d/a/b p/d/a/b/c'],
    ['below folders that nobody may open', 'cd p/d/a/b; chmod 0 c; chmod 0 ../b; chmod 0 ../../a'],
    ['out of a folder that nobody may write to', 'chmod 555 p'],
  ])('%s', async (_name, script) => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', MAKE + script]);
    await sandbox.rm('p/d', { recursive: true });
    expect(await sandbox.readdir('.', { recursive: true })).toEqual(['p']);
  });

  it('of folders as deep as they can be, with the names that folders are moved by', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const script = `
      import os
      os.mkdir('d')
      os.chdir('d')
      for i in range(3000):
          name = '.sbx-removed-%d' % i if i % 2 else 'n' * 200
          os.mkdir(name)
          os.chdir(name)`;
    await sandbox.run('python3', ['-c', script.replaceAll('\n      ', '\n')]).then((ran) => ran.orThrow());
    await sandbox.rm('d', { recursive: true });
    expect(await sandbox.readdir()).toEqual([]);
  });
});
