// Tools that are no packages of the workspace, installed through npm by a lockfile of theirs; never global.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, scratch } from './paths.mjs';
import { runQuietly } from './run.mjs';

/** Of a project that npm installs. */
export const NPM_FILES = ['package.json', 'package-lock.json'];

/** Installs what the manifest and the lockfile in `source` list to `home`; runs no script of theirs. */
export async function installByLockfile(source, home, options = []) {
  for (const file of NPM_FILES) cpSync(join(source, file), join(home, file));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await runQuietly('npm', ['ci', ...quiet, ...options, '--prefix', home], { cwd: home });
}

/** The same for `scripts/NAME`, to the scratch folder `.sbx-setup/NAME`. */
export async function fetchThroughNpm(name, options) {
  const home = join(scratch, name);
  mkdirSync(home, { recursive: true });
  await installByLockfile(join(root, 'scripts', name), home, options);
}
