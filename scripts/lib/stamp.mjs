// Remembers which inputs a step was last done for, by content, so that a step is skipped when nothing
// changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, scratch } from './paths.mjs';

/** No input of a build: what a build makes, and tests. */
const isInput = (name) => name !== 'node_modules' && name !== 'build' && !name.endsWith('.test.ts');

/** All files under a path, which may be a file or a folder. */
function filesUnder(path) {
  const absolute = join(root, path);
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute)
    .sort()
    .filter(isInput)
    .flatMap((name) => filesUnder(join(path, name)));
}

export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder)) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

const stampFile = (name) => join(scratch, 'stamps', name);

export function isFresh(name, hash, outputs) {
  return (
    outputs.every((path) => existsSync(join(root, path))) &&
    existsSync(stampFile(name)) &&
    readFileSync(stampFile(name), 'utf8') === hash
  );
}

export function writeStamp(name, hash) {
  mkdirSync(join(scratch, 'stamps'), { recursive: true });
  writeFileSync(stampFile(name), hash);
}
