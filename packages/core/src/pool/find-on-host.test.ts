import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findOnHost } from './find-on-host.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sbx-find-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('RUSTUP_HOME', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function put(...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), '');
  }
}

/** With this folder of the home folder as PATH. */
function found(file: string, folder: string): string | null {
  vi.stubEnv('PATH', join(home, folder));
  return findOnHost(file, [])?.replace(home, '~') ?? null;
}

it('a program elsewhere is found by the host’s PATH, links followed', () => {
  put('opt/go-1.26/bin/gopher');
  symlinkSync(join(home, 'opt/go-1.26'), join(home, 'go'));
  expect(found('gopher', 'go/bin')).toBe('~/opt/go-1.26/bin/gopher');
  expect(found('missing', 'go/bin')).toBeNull();
});

it('of a proxy of rustup it is the toolchain behind it', () => {
  put('.cargo/bin/rustup');
  for (const name of ['rustc', 'miri']) symlinkSync('rustup', join(home, '.cargo/bin', name));
  put(...['1.9.0', '1.90.0', 'nightly', 'stable'].map((name) => `.rustup/toolchains/${name}/bin/rustc`));
  put('.rustup/toolchains/nightly/bin/cargo');
  expect(found('rustc', '.cargo/bin')).toBe('~/.rustup/toolchains/stable/bin/rustc');
  expect(findOnHost(join(home, '.cargo/bin/rustc'), [])).toContain('/toolchains/stable/');
  expect(found('rustup', '.cargo/bin')).toBe('~/.cargo/bin/rustup');
  expect(found('miri', '.cargo/bin')).toBeNull(); // no toolchain has it
  vi.stubEnv('RUSTUP_HOME', join(home, 'elsewhere'));
  expect(found('rustc', '.cargo/bin')).toBeNull();
  put('elsewhere/toolchains/1.80.0/bin/rustc');
  expect(found('rustc', '.cargo/bin')).toBe('~/elsewhere/toolchains/1.80.0/bin/rustc');
});

it('of a shim it is the newest version that has the program', () => {
  const shim = '.pyenv/shims/python3';
  put(shim, '.pyenv/shims/tox');
  put(
    ...['3.9.1', '3.10.2'].map((name) => `.pyenv/versions/${name}/bin/python3`),
    '.pyenv/versions/3.11.0/x',
  );
  expect(found('python3', '.pyenv/shims')).toBe('~/.pyenv/versions/3.10.2/bin/python3');
  expect(findOnHost(join(home, shim), [join(home, shim)])).toContain('/versions/3.10.2/');
  expect(found('tox', '.pyenv/shims')).toBeNull();
});
