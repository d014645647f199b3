/** A folder for the tree of a minimal root: on disk, where programs may be executed, named after this process. */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PermissionError } from '../errors.js';
import { isExecutableIn } from './tree.js';

const PREFIX = 'root-';

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
  await sweep(parent);
  const own = await mkdtemp(join(parent, `${PREFIX}${name}-${await tagOf(process.pid)}-`));
  if (!(await isExecutableIn(own))) {
    await rm(own, { recursive: true });
    return 'programs may not be executed there (noexec)';
  }
  const folder = join(own, 'tree');
  await mkdir(folder);
  return { folder };
}

/** Folders of other users and of other process namespaces are theirs to remove. */
async function sweep(parent: string): Promise<void> {
  const namespace = await pidNamespace();
  for (const name of await readdir(parent)) {
    const [, tag, of, pid] = /^root-\w+-((\d+)-(\d+)-\d+)-\w+$/.exec(name) ?? [];
    if (tag === undefined || of !== namespace || (await tagOf(Number(pid))) === tag) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A process id is used again; with its start time it is not. */
async function tagOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  return `${await pidNamespace()}-${pid}-${startTicks}`;
}

async function pidNamespace(): Promise<string> {
  return /\d+/.exec(await readlink('/proc/self/ns/pid'))![0];
}
