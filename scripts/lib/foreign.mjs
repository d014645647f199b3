// Test suites of others, from their registries by lockfiles of ours, kept outside of the checkout.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installByLockfile, NPM_FILES } from './npm.mjs';
import { runQuietly } from './run.mjs';

const cacheHome = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sbx');

/** A folder that is made once for these contents: whole, or not there. */
async function madeOnce(name, files, make) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  const folder = join(cacheHome(), `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheHome(), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    await make(scratch);
    renameSync(scratch, folder);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another one was faster
  }
  return folder;
}

/** `node_modules` of a folder with package.json and package-lock.json; runs no script of theirs. */
export async function npmSuite(name, folder) {
  const files = NPM_FILES.map((file) => join(folder, file));
  const home = await madeOnce(name, files, (scratch) => installByLockfile(folder, scratch));
  return join(home, 'node_modules');
}

/**
 * The Python of a virtual environment with the packages of a requirements file, which has all hashes.
 * Debian's own: sandboxes have it, too.
 */
export async function pythonSuite(name, requirements) {
  const home = await madeOnce(name, [requirements], async (scratch) => {
    await runQuietly('/usr/bin/python3', ['-m', 'venv', scratch]);
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--require-hashes'];
    await runQuietly(join(scratch, 'bin/python'), ['-m', 'pip', 'install', ...options, '-r', requirements]);
  });
  return join(home, 'bin/python');
}
