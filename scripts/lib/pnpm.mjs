// The pinned pnpm, fetched once through npm into the scratch folder; never global.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, scratch } from './paths.mjs';
import { runQuietly } from './run.mjs';

const home = join(scratch, 'pnpm');

export const pnpmFile = join(home, 'node_modules/pnpm/bin/pnpm.cjs');

export async function fetchPnpm() {
  mkdirSync(home, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(root, 'scripts/pnpm', file), join(home, file));
  await runQuietly('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', home], {
    cwd: home,
  });
}

export function pnpmQuietly(args, options) {
  return runQuietly(process.execPath, [pnpmFile, ...args], options);
}
