// Compiles the programs of this folder, each once per content of its source, into node_modules/.cache.
// Static, so that they start fast, need nothing of the root they run in, and can be copied in alone.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/sbx-programs/', import.meta.url));
const flags = ['-D_GNU_SOURCE', '-O1', '-static', '-Wall', '-Wextra', '-Werror', '-pthread'];

const digest = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

/**
 * Tests run in several processes: each writes under a name of its own, then renames, so that all may build at
 * once.
 */
function compile(name, key) {
  const object = join(cache, `${name}-${key}`);
  if (existsSync(object)) return object;
  const draft = `${object}.${process.pid}`;
  execFileSync('gcc', [...flags, '-o', draft, join(sources, `${name}.c`)], { stdio: 'pipe' });
  renameSync(draft, object);
  return object;
}

function sourceKeys() {
  const files = readdirSync(sources).sort();
  const read = (file) => readFileSync(join(sources, file), 'utf8');
  const shared = digest(...flags, ...files.filter((file) => file.endsWith('.h')).map(read));
  const programs = files.filter((file) => file.endsWith('.c'));
  return programs.map((file) => [basename(file, '.c'), digest(shared, read(file))]);
}

function assemble(keys, folder) {
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  for (const [name, key] of keys) linkSync(compile(name, key), join(draft, name));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // otherwise another process was first
  }
}

let built;

/** The folder that holds the compiled programs, by name. */
export function buildPrograms() {
  if (built) return built;
  const keys = sourceKeys();
  const folder = join(cache, `all-${digest(...keys.flat())}`);
  if (!existsSync(folder)) assemble(keys, folder);
  built = folder;
  return folder;
}
