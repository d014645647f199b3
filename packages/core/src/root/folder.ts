/**
 * A folder for the tree of a minimal root: on disk, where programs may be executed, named after this process.
 */
import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PermissionError } from '../errors.js';
import { OWNER_TAG, ownerTag, removeAbandoned } from '../owner.js';
import { isExecutableIn } from './tree.js';

const PREFIX = 'root-';
const NAME = new RegExp(`^${PREFIX}\\w+-${OWNER_TAG}-\\w+$`);

/** The folder of the tree itself, which all may enter; the one above it only we may. */
export async function makeFolder(name: string): Promise<string> {
  const problems: string[] = [];
  for (const parent of parents()) {
    const made = await tryIn(parent, name).catch((error: Error) => error.message);
    if (typeof made === 'object') return made.folder;
    problems.push(`${parent}: ${made}`);
  }
  throw new PermissionError({
    layer: 'filesystem',
    message: `There is no place for the copies of a minimal root (${problems.join('; ')}).`,
    hint: 'Make one of these folders writable, on a file system that is not mounted noexec.',
  });
}

/** Those for caches: nothing takes files out of them by their age while they are used. */
function parents(): string[] {
  const ofUser = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sbx');
  return [process.geteuid!() === 0 ? '/var/cache/sbx' : ofUser, '/var/tmp'];
}

async function tryIn(parent: string, name: string): Promise<{ folder: string } | string> {
  await mkdir(parent, { recursive: true, mode: 0o755 });
  await removeAbandoned(parent, NAME, remove);
  const own = await mkdtemp(join(parent, `${PREFIX}${name}-${ownerTag()}-`));
  if (!(await isExecutableIn(own))) {
    await rm(own, { recursive: true });
    return 'programs may not be executed there (noexec)';
  }
  const folder = join(own, 'tree');
  await mkdir(folder);
  return { folder };
}

/**
 * Folders of other users are theirs to remove. While one is removed its owner could put links into it, to
 * what root alone can remove.
 */
async function remove(path: string): Promise<void> {
  const owner = await lstat(path).catch(() => null);
  if (owner?.uid !== process.geteuid!()) return;
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
