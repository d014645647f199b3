// Compiles the programs of this folder, or of another, each once per content of its source, into
// node_modules/.cache. Static, so that they start fast, need nothing of the root they run in, and can be
// copied in alone.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/sbx-programs/', import.meta.url));
const flags = ['-D_GNU_SOURCE', '-O1', '-static', '-Wall', '-Wextra', '-Werror', '-pthread', `-I${own}`];

const digest = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

/**
 * Tests run in several processes: each writes under a name of its own, and the first gives it the common one,
 * so that all may build at once. None is replaced: a file that loses its name while somebody links to it is
 * ENOENT.
 */
function compile(sources, name, key) {
  const object = join(cache, `${name}-${key}`);
  if (existsSync(object)) return object;
  const draft = `${object}.${process.pid}`;
  execFileSync('gcc', [...flags, '-o', draft, join(sources, `${name}.c`)], { stdio: 'pipe' });
  try {
    linkSync(draft, object);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return object;
}

const headersOf = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.h'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));

function sourceKeys(sources) {
  const shared = digest(...flags, ...headersOf(own), ...headersOf(sources));
  const programs = readdirSync(sources).filter((file) => file.endsWith('.c'));
  return programs
    .sort()
    .map((file) => [basename(file, '.c'), digest(shared, readFileSync(join(sources, file), 'utf8'))]);
}

function assemble(sources, keys, folder) {
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  for (const [name, key] of keys) linkSync(compile(sources, name, key), join(draft, name));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // otherwise another process was first
  }
}

const built = new Map();

/**
 * The folder that holds the compiled programs, by name. `common.h` of this folder serves other folders, too.
 */
export function buildPrograms(sources = own) {
  if (built.has(sources)) return built.get(sources);
  const keys = sourceKeys(sources);
  const folder = join(cache, `all-${digest(...keys.flat())}`);
  if (!existsSync(folder)) assemble(sources, keys, folder);
  built.set(sources, folder);
  return folder;
}
