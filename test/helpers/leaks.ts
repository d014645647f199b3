/**
 * What must be gone. `takeFootprint` before an engine is opened, `expectNothingLeft` after it is closed;
 * `checkLeaks` between two tests of a living engine, which keeps ready sandboxes but nothing that a program
 * left.
 */
// Node's resolver opens /dev/urandom when it is loaded, and keeps it, where the C library is musl: so before
// the first look.
import 'node:dns';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Engine, EngineInfo } from '@sbx/core';
import { paced } from './pace.js';
import {
  cgroupFolders,
  descendants,
  openDescriptors,
  type ProcessRow,
  processesOfUids,
  UID_SPAN,
} from './proc.mjs';
import { eventually, sleep } from './wait.js';

/** Zygote, keepers and inits name themselves so; a program gets its own name with exec. */
export const isHelper = (row: ProcessRow) => row.name.startsWith('sbx-');

/**
 * Cgroups may be busy for some milliseconds after their last process: removal is retried, a second is what we
 * promise.
 */
const SETTLE_MS = paced(1000);

export interface Footprint {
  children: ReadonlySet<number>;
  descriptors: ReadonlyMap<number, string>;
  mounts: string;
  cgroups: ReadonlySet<string>;
}

/** Mount ids, options and order included. */
const mountTable = () => readFileSync('/proc/self/mountinfo', 'utf8');

export function takeFootprint(): Footprint {
  return {
    children: new Set(descendants().map((row) => row.pid)),
    descriptors: openDescriptors(),
    mounts: mountTable(),
    cgroups: new Set(cgroupFolders()),
  };
}

/**
 * The same once nothing comes and goes any more: another engine of this process may still be making the
 * sandboxes that stand ready.
 */
export async function settledFootprint(): Promise<Footprint> {
  for (let before = takeFootprint(); ; ) {
    await sleep(60);
    const now = takeFootprint();
    if (
      isDeepStrictEqual(now.descriptors, before.descriptors) &&
      isDeepStrictEqual(now.children, before.children)
    )
      return now;
    before = now;
  }
}

/** Files of the host that a user of the sandboxes owns: there is no way that should make one. */
function strayFiles(uidBase: number | null): string[] {
  if (uidBase === null) return [];
  return ['/tmp', '/dev/shm', '/var/tmp']
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => {
      const uid = lstatSync(path, { throwIfNoEntry: false })?.uid ?? -1;
      return uid >= uidBase && uid < uidBase + UID_SPAN;
    });
}

const describe = (row: ProcessRow) => `process ${row.pid} ${row.name} (${row.state}, uid ${row.uid})`;

function newDescriptors(before: ReadonlyMap<number, string>): string[] {
  const now = openDescriptors();
  if (now.size <= before.size) return [];
  return [...now].filter(([fd]) => !before.has(fd)).map(([fd, target]) => `descriptor ${fd} ${target}`);
}

function leftOver(before: Footprint, info: EngineInfo): string[] {
  const { uidBase } = info.user;
  return [
    ...descendants()
      // Of other engines of this process the zygote is older, and the rest has other uids.
      .filter((row) => !before.children.has(row.pid) && (uidBase === null || row.uid === 0))
      .map(describe),
    ...processesOfUids(uidBase).map(describe),
    ...newDescriptors(before.descriptors),
    ...(mountTable() === before.mounts ? [] : ['the mount table of this process changed']),
    ...strayFiles(uidBase).map((path) => `file ${path}`),
    ...cgroupFolders()
      .filter((path) => !before.cgroups.has(path))
      .map((path) => `cgroup ${path}`),
  ];
}

/** After `engine.close()`: as if it had never been. */
export async function expectNothingLeft(before: Footprint, info: EngineInfo): Promise<void> {
  await eventually(SETTLE_MS, () => leftOver(before, info));
}

function unrest(engine: Engine, before: Footprint, sandboxes: number): string[] {
  const counters = engine.counters();
  const programs = processesOfUids(engine.info().user.uidBase).filter((row) => !isHelper(row));
  return [
    ...programs.map(describe),
    ...(counters.running === 0 ? [] : [`${counters.running} running`]),
    ...(counters.waiting === 0 ? [] : [`${counters.waiting} waiting`]),
    ...(counters.sandboxes === sandboxes ? [] : [`${counters.sandboxes} sandboxes instead of ${sandboxes}`]),
    ...(mountTable() === before.mounts ? [] : ['the mount table of this process changed']),
    ...strayFiles(engine.info().user.uidBase).map((path) => `file ${path}`),
  ];
}

/** Between tests: nobody runs, nobody waits, no program is left, no mount or file came. */
export async function checkLeaks(engine: Engine, before: Footprint, sandboxes = 0): Promise<void> {
  await eventually(SETTLE_MS, () => unrest(engine, before, sandboxes));
}
