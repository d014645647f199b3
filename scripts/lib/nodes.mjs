// Other versions of Node, from the npm registry, kept outside of the checkout.
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from './run.mjs';

/** A version of each line that we support, oldest first, pinned. */
export const NODE_VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];

const major = (version) => version.split('.')[0];

/** The path of a Node of that line: this one when it is of it, else fetched once. */
export async function nodeBinary(version) {
  if (major(process.versions.node) === major(version)) return process.execPath;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const home = join(cache, 'sbx', `node-${version}`);
  const platform = `node-linux-${process.arch}`;
  const binary = join(home, 'node_modules', platform, 'bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(home, { recursive: true });
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', home];
  await runQuietly('npm', ['install', ...options, `${platform}@${version}`], { cwd: home });
  return binary;
}
