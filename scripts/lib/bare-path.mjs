// A PATH of a user who has Node and a shell but no compiler, no make and no Python.
import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What npm and the shells it starts call. */
const PROGRAMS = [
  'npm',
  'npx',
  'sh',
  'env',
  'uname',
  'cat',
  'ls',
  'mkdir',
  'rm',
  'sed',
  'dirname',
  'readlink',
];

function find(name) {
  const folder = process.env.PATH.split(delimiter).find((path) => path && existsSync(join(path, name)));
  if (!folder) throw new Error(`${name} is not on the PATH`);
  return realpathSync(join(folder, name));
}

/** Makes a folder of links to those and to the given Node; to be used as the whole PATH. */
export function makeBarePath(folder, node) {
  mkdirSync(folder, { recursive: true });
  for (const name of PROGRAMS) symlinkSync(find(name), join(folder, name));
  symlinkSync(node, join(folder, 'node'));
  return folder;
}
