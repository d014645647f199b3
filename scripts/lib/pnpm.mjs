// The pinned pnpm.
import { join } from 'node:path';
import { fetchThroughNpm } from './npm.mjs';
import { scratch } from './paths.mjs';
import { runQuietly } from './run.mjs';

export const pnpmFile = join(scratch, 'pnpm/node_modules/pnpm/bin/pnpm.cjs');

export const fetchPnpm = () => fetchThroughNpm('pnpm');

export function pnpmQuietly(args, options) {
  return runQuietly(process.execPath, [pnpmFile, ...args], options);
}
