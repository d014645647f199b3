// The four pairs that a release ships, built on one machine by one compiler: zig's clang, which brings the
// headers of each platform.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addon, compileInParts, forCompiling, helper, isForLinker, warnings } from './targets.mjs';

const run = promisify(execFile);

/**
 * By the name of its folder; what `zig c++ -target` is given for the addon. The helper has no C library: that
 * of musl is static, so its headers are those of both.
 */
export const PREBUILDS = [
  { platform: 'linux-x64-glibc', machine: 'x86_64', target: 'x86_64-linux-gnu.2.28' },
  { platform: 'linux-x64-musl', machine: 'x86_64', target: 'x86_64-linux-musl' },
  { platform: 'linux-arm64-glibc', machine: 'aarch64', target: 'aarch64-linux-gnu.2.28' },
  { platform: 'linux-arm64-musl', machine: 'aarch64', target: 'aarch64-linux-musl' },
];

// zig's linker does not know it; it would save a page of file.
const UNKNOWN_TO_LINKER = '-Wl,-z,noseparate-code';

async function buildAddon(compiler, { target }, output) {
  const { flags, sources } = addon();
  await compiler(['-target', target, ...warnings, ...flags, '-o', output, ...sources]);
}

async function buildHelper(compiler, { machine }, output) {
  const target = ['-target', `${machine}-linux-musl`];
  const flags = helper.flags.filter((flag) => flag !== UNKNOWN_TO_LINKER);
  await compileInParts(compiler, {
    output,
    // With `-nostdlib` zig takes the headers away, too.
    compiling: [...target, ...warnings, ...forCompiling(flags)],
    linking: [...target, ...flags.filter(isForLinker)],
    files: helper.sources,
  });
}

/** Builds one pair into `folder`; `zig` is the compiler's path, `env` what it is run with. */
export async function buildPair(pair, folder, zig, env) {
  const compiler = (args) => run(zig, ['c++', ...args], { env, maxBuffer: 2 ** 26 });
  mkdirSync(folder, { recursive: true });
  await buildHelper(compiler, pair, join(folder, 'sbx-helper'));
  await buildAddon(compiler, pair, join(folder, 'sbx.node'));
}
