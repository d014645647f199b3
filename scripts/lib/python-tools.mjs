// What the Python package index has for us, pinned by version and by hash, kept outside of the checkout.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { CommandError, runQuietly } from './run.mjs';
import { provideSystemPackages } from './system-packages.mjs';

const PIP = [{ package: 'python3-pip', probes: ['/usr/bin/pip3'], why: 'what comes from PyPI' }];

/** Where tools are kept that every checkout shares. */
export const toolCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sbx');

async function providePip() {
  try {
    await runQuietly('python3', ['-m', 'pip', '--version']);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const missing = await provideSystemPackages(PIP);
    if (missing.length > 0) throw new Error('pip is needed: python3-pip');
  }
}

/**
 * The folder that the packages of a requirements file, each with its hash, are installed in; fetched once.
 */
export async function pythonPackages(name, requirements, options = []) {
  const text = readFileSync(join(root, requirements));
  const key = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const home = join(toolCache, `${name}-${key}`);
  if (existsSync(home)) return home;
  await providePip();
  mkdirSync(toolCache, { recursive: true });
  const draft = `${home}.${process.pid}`;
  const strict = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '--no-compile'];
  const quiet = ['--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore', '--no-cache-dir'];
  try {
    const install = ['-m', 'pip', 'install', ...strict, ...quiet, ...options, '--target', draft];
    await runQuietly('python3', [...install, '-r', join(root, requirements)]);
    renameSync(draft, home);
  } catch (error) {
    if (!existsSync(home)) throw error; // otherwise another checkout was first
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return home;
}
