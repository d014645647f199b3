// Tools that are no packages of the workspace, fetched through npm by a lockfile of theirs into the scratch
// folder; never global.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, scratch } from './paths.mjs';
import { runQuietly } from './run.mjs';

/** Installs what the manifest and the lockfile in `scripts/NAME` list to `.sbx-setup/NAME`. */
export async function fetchThroughNpm(name, options = []) {
  const home = join(scratch, name);
  mkdirSync(home, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(root, 'scripts', name, file), join(home, file));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await runQuietly('npm', ['ci', ...quiet, ...options, '--prefix', home], { cwd: home });
}
