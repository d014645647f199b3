// Toolchains that are not in /usr/bin.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_ENV, Engine } from '@sbx/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEngine } from '../helpers/engine.js';

let home = '';
let chain = '';
beforeAll(() => {
  home = mkdtempSync('/var/tmp/sbx-toolchain-test-') /* not in /tmp, which each sandbox has its own of */;
  chain = join(home, 'go');
  mkdirSync(join(chain, 'bin'), { recursive: true });
  writeFileSync(join(chain, 'bin', 'gopher'), '#!/bin/sh\necho "$0 $PATH"\n');
  chmodSync(join(chain, 'bin', 'gopher'), 0o755);
  symlinkSync(chain, join(home, 'current'));
});
afterAll(() => rmSync(home, { recursive: true }));

test('are there read-only, and first on PATH', async () => {
  await withEngine({ toolchains: [chain] }, async (engine) => {
    const { stdout } = await engine.run('gopher');
    expect(stdout.text()).toBe(`${chain}/bin/gopher ${chain}/bin:${DEFAULT_ENV.PATH}\n`);
    const again = await engine.run('gopher', [], { env: { ...DEFAULT_ENV, A: 'b' } });
    expect(again.status).toBe('ok');
    const written = await engine.run('sh', ['-c', `echo x > ${chain}/bin/new`]);
    expect(written.stderr.text()).toMatch(/Read-only file system|Permission denied/);
    // A PATH of the caller's own stays as it is.
    const own = await engine.run('/bin/sh', ['-c', 'echo $PATH'], { env: { PATH: '/bin' } });
    expect(own.stdout.text()).toBe('/bin\n');
    await using sandbox = await engine.createSandbox();
    expect((await sandbox.run('gopher')).status).toBe('ok');
  });
});

test('may be a link of the host, and a folder that sandboxes see anyway', async () => {
  await withEngine({ toolchains: [join(home, 'current'), '/usr/lib'] }, async (engine) => {
    expect((await engine.run('gopher')).stdout.text()).toContain(`${home}/current/bin/gopher`);
  });
});

test('are advised where a program is on the host and not inside', async () => {
  const before = process.env.PATH;
  process.env.PATH = `${before}:${chain}/bin`;
  try {
    await withEngine({}, async (engine) => {
      await expect(engine.run('gopher')).rejects.toMatchObject({
        code: 'SBX_PROGRAM_NOT_FOUND',
        message: expect.stringContaining(`toolchains: ["${chain}"]`),
        toolchain: chain,
        details: expect.not.objectContaining({ onHost: expect.anything() }),
      });
    });
  } finally {
    process.env.PATH = before;
  }
});

test('a venv comes with its interpreter, or is refused with the folder to add', async () => {
  const [python, venv] = [join(home, 'python'), join(home, 'venv')];
  for (const folder of [python, venv]) mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(python, 'bin', 'python3.9'), '#!/bin/sh\necho "$0"\n', { mode: 0o755 });
  writeFileSync(join(venv, 'pyvenv.cfg'), `home = ${python}/bin\n`);
  symlinkSync(join(python, 'bin', 'python3.9'), join(venv, 'bin', 'python3'));
  await expect(Engine.open({ toolchains: [chain, venv] })).rejects.toMatchObject({
    code: 'SBX_INVALID_OPTIONS',
    message: expect.stringMatching(
      /^options\.toolchains\[1\] must come with its interpreter, .*\/python3\.9, which is not/,
    ),
    details: expect.objectContaining({ hint: `Give ${python} as a toolchain, too.` }),
  });
  await withEngine({ toolchains: [venv, python] }, async (engine) => {
    expect((await engine.run('python3')).stdout.text()).toBe(`${venv}/bin/python3\n`);
  });
});

test.each([
  [['relative'], /toolchains\[0\] must/],
  [['/no/such/folder'], /toolchains\[0\] must be a folder of the host/],
  [['/tmp'], /toolchains\[0\]/],
  ['/usr', /toolchains must be an array of folders/],
])('%j is refused', async (toolchains, message) => {
  await expect(Engine.open({ toolchains: toolchains as string[] })).rejects.toThrow(message);
});
