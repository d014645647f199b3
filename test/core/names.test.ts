/**
 * Working folders and program files: names that a program or a caller chose, and that lead to nothing outside
 * of the sandbox.
 */
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SbxError } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

/** More numbers than init or a child has descriptors. */
const NUMBERS = Array.from({ length: 64 }, (_, number) => number);

let outside = '';
beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'names-test-'));
  writeFileSync(join(outside, 'marker'), '#!/bin/sh\necho outside\n', { mode: 0o755 });
});
afterAll(() => rmSync(outside, { recursive: true }));

const fails = (run: Promise<unknown>): Promise<SbxError> =>
  run.then(
    () => Promise.reject(new Error('it ran')),
    (error) => error,
  );

/** What a program says that was started in this folder, or why it was not. */
async function standIn(sandbox: Sandbox, cwd: string): Promise<string> {
  const script = `pwd -P; ls -d .${outside} ..${outside} 2>/dev/null; :`;
  return sandbox.run('/bin/sh', ['-c', script], { cwd }).then(
    ({ stdout }) => stdout.text(),
    (error) => error.code,
  );
}

describe('a folder or a file behind an open descriptor', () => {
  const walks = (number: number) => [
    `/proc/self/fd/${number}`,
    `/proc/thread-self/fd/${number}/../../../../..`,
  ];

  it('is no working folder, given as it is or as a link of the program before', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const said = new Set<string>();
    for (const number of NUMBERS) {
      await sandbox.run('ln', ['-sfn', `/proc/self/fd/${number}/../../../../../..`, 'build']);
      for (const cwd of ['build', ...walks(number)]) said.add(await standIn(sandbox, cwd));
    }
    expect([...said]).toEqual(['SBX_BAD_CWD']);
  });

  it('is no program, given as it is or as a link of the program before', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const codes = new Set<string>();
    for (const number of NUMBERS) {
      await sandbox.run('ln', ['-sfn', `/proc/self/fd/${number}/../../../../../..${outside}/marker`, 'tool']);
      for (const file of ['./tool', ...walks(number).map((walk) => `${walk}${outside}/marker`)])
        codes.add((await fails(sandbox.run(file))).code);
    }
    const refusals = ['SBX_PROGRAM_NOT_EXECUTABLE', 'SBX_PROGRAM_NOT_FOUND'];
    expect([...codes].filter((code) => !refusals.includes(code))).toEqual([]);
  });

  it('is not handed to a program where it is a folder, which leads everywhere', async () => {
    const folder = openSync(outside, 'r');
    try {
      const error = await fails(sbx.engine.run('ls', ['/proc/self/fd/5'], { fds: { 5: { fd: folder } } }));
      expect([error.code, error.message]).toEqual([
        'SBX_FILE_IS_FOLDER',
        expect.stringContaining('descriptor'),
      ]);
    } finally {
      closeSync(folder);
    }
  });
});

describe('a working folder is refused with the reason', () => {
  const cases: [cwd: string, errno: string, why: string][] = [
    ['nowhere', 'ENOENT', 'does not exist inside the sandbox'],
    ['a', 'ENOTDIR', 'is not a folder'],
    ['locked', 'EACCES', 'may not be entered'],
    ['/proc/self/cwd', 'ELOOP', 'a link of /proc'],
    ['/proc/self/root', 'ELOOP', 'a link of /proc'],
    ['around', 'ELOOP', 'too many links'],
  ];
  it.each(cases)('%s: %s', async (cwd, errnoName, why) => {
    await using sandbox = await sbx.engine.createSandbox({ files: { a: '' } });
    await sandbox.run('sh', ['-c', 'mkdir -m 000 locked; ln -s around around']);
    const error = await fails(sandbox.run('pwd', [], { cwd }));
    expect(error).toMatchObject({ code: 'SBX_BAD_CWD', errnoName });
    expect(error.message).toContain(why);
  });

  it('one that was removed is gone, and so is one that is removed while programs start there', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using flicker = await sandbox.spawn('sh', ['-c', 'while :; do mkdir f; mv f g; rmdir g; done']);
    const said = new Set<string>();
    for (let run = 0; run < 200; run += 1) said.add(await standIn(sandbox, 'f'));
    await flicker.kill();
    expect([...said].filter((text) => text.includes(outside))).toEqual([]);
    expect(said).toContain('SBX_BAD_CWD');
  });
});

describe('names that lead inside', () => {
  it('links, dots and folders of the root are what they are to a shell', async () => {
    await using sandbox = await sbx.engine.createSandbox({
      files: { 'deep/er/tool': { text: '#!/bin/sh\npwd\n', mode: 0o755 } },
    });
    await sandbox.run('sh', ['-c', 'ln -s deep/er near; ln -s /usr/../w/deep far; ln -s /usr/bin/env env']);
    const pwd = async (cwd: string, file = '/bin/pwd') =>
      (await sandbox.run(file, [], { cwd })).stdout.text();
    expect(await pwd('near')).toBe('/w/deep/er\n');
    expect(await pwd('far/../far/er/..')).toBe('/w/deep\n');
    expect(await pwd('/usr/lib/../../../../etc')).toBe('/etc\n');
    expect(await pwd('/')).toBe('/\n');
    expect(await pwd('deep/er', '../../near/tool')).toBe('/w/deep/er\n');
    expect(await pwd('near', './tool')).toBe('/w/deep/er\n');
    expect((await sandbox.run('./env', ['true'])).status).toBe('ok');
  });

  it('need no descriptor of the program’s: as few as it may have are enough', async () => {
    const options = { cwd: '/usr/bin', limits: { openFileCount: 4 } };
    for (const file of [t('true'), '../../t/true', 'true'])
      expect((await sbx.engine.run(file, [], options)).status).toBe('ok');
  });
});

describe('a file of the host that a program was given', () => {
  it('can be opened again by its descriptor, in sessions too, and nothing beside it', async () => {
    const hostFile = join(outside, 'marker');
    await using sandbox = await sbx.engine.createSandbox();
    for (let run = 0; run < 3; run += 1) {
      const { stdout, stderr } = await sandbox.run('sh', ['-c', 'cat /dev/stdin; ls /proc/self/fd/0/..'], {
        stdin: { hostFile },
      });
      expect(stdout.text()).toBe('#!/bin/sh\necho outside\n');
      expect(stderr.text()).toMatch(/Not a directory|Permission denied/);
    }
    const file = openSync(join(outside, 'out'), 'w+');
    chmodSync(join(outside, 'out'), 0o666);
    try {
      const script = 'echo one > /dev/stdout; echo two >> /dev/stdout';
      expect((await sandbox.run('sh', ['-c', script], { stdout: { inherit: file } })).status).toBe('ok');
    } finally {
      closeSync(file);
    }
  });
});
