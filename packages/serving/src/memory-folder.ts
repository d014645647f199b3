/**
 * A folder in memory for as long as this process lives: named after it, so that a later one can remove what a
 * killed one left. The tag is that of `owner.ts` in core, which shows none of it to the outside.
 */
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileAccessError } from '@sbx/core';

/**
 * `kind`: what the folder is for, in letters. `parent`: where it and those of others are. Default: memory,
 * where the system has a place for that. Throws `FileAccessError`.
 */
export async function makeMemoryFolder(
  kind: string,
  parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
): Promise<string> {
  const prefix = `sbx-${kind}-`;
  await removeAbandoned(parent, prefix);
  const path = join(parent, `${prefix}${await tagOf(process.pid)}-`);
  return mkdtemp(path).catch((cause: NodeJS.ErrnoException) => {
    throw new FileAccessError({ operation: 'mkdtemp', path, errno: cause.errno ?? 0, cause });
  });
}

/**
 * Folders of other users and of other process namespaces are theirs to remove. While one is removed its owner
 * could put links into it, to what root alone can remove.
 */
async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const [, tag, namespace, pid] = /^((\d+)-(\d+)-\d+)-/.exec(name.slice(prefix.length)) ?? [];
    if (tag === undefined || namespace !== (await pidNamespace())) continue;
    if ((await tagOf(Number(pid))) === tag) continue;
    const path = join(parent, name);
    const owner = await lstat(path).catch(() => null);
    if (owner?.uid !== process.geteuid?.()) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A number is used again, a number with its start time is not. */
async function tagOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  return `${await pidNamespace()}-${pid}-${startTicks}`;
}

async function pidNamespace(): Promise<string> {
  return /\d+/.exec(await readlink('/proc/self/ns/pid'))![0];
}
