/**
 * Folders outside of this process (cgroups, copies on disk) carry the tag of the process that made them, so
 * that a later one can tell whether their owner is still alive, and remove what a killed one left.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A tag within a name, as a group of a regular expression. */
export const OWNER_TAG = String.raw`(\d+-\d+-\d+)`;

/** Pid namespace, pid and start time: a pid is used again, with its start time it is not. */
export function ownerTag(): string {
  return `${pidNamespace()}-${process.pid}-${startTicks(process.pid)}`;
}

/**
 * Calls `remove` with the path of each entry of `folder` whose owner is gone. `tagIn`: its first group is the
 * tag.
 */
export async function removeAbandoned(
  folder: string,
  tagIn: RegExp,
  remove: (path: string) => Promise<unknown>,
): Promise<void> {
  const namespace = pidNamespace();
  for (const name of await readdir(folder)) {
    const tag = tagIn.exec(name)?.[1];
    if (tag === undefined) continue;
    const [of, pid, startedAt] = tag.split('-');
    // Processes of other namespaces cannot be seen from here: what is theirs stays.
    if (of === namespace && startTicks(Number(pid)) !== startedAt) await remove(join(folder, name));
  }
}

/** `null`: no such process. */
function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0];
}
