/**
 * Z1–Z6: what must not be left after an entry. `Remains.note()` before it, `problems()` after; a subject is
 * the process that holds the sandboxes (this one, or a server), and the folders that are its own.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupFolders, descendants, openDescriptors, readOrNull } from '../../helpers/proc.mjs';
import { collect } from './collect.mjs';
import { paced } from './pace.mjs';

/** Host ids of sandboxes: see EngineOptions.uidBase. */
const UID_FIRST = 1_879_048_192;
const Z1_MS = paced(100);
const Z2_MS = paced(1000);
const SETTLE_MS = paced(1500);
/**
 * V8 gives its young generation (32 MiB after a burst) back at a collection before which little was allocated
 * for 5 s. One right after the burst does not, nor do those that follow each other closely; and looks of our
 * own allocate, where this process is the subject.
 */
const Z6_ROUNDS = 3;
const Z6_ROUND_MS = 6500;
const Z6_LOOK_MS = 250;
const RSS_GROWTH_MAX = 16 * 2 ** 20;
/** What a pool of ready sandboxes, kept connections and the loop's own threads may differ by. */
const DESCRIPTORS_SLACK = 24;
const THREADS_SLACK = 6;

const exeOf = (pid) => {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
};

/**
 * Our helper, by its executable: a program may call itself like it. One that is dying has none any more; init
 * then takes its time to drop a deep tree of folders.
 */
function isHelper(row) {
  const exe = exeOf(row.pid);
  return exe === '/memfd:sbx-helper (deleted)' || (exe === null && row.name.startsWith('sbx-'));
}

/** Programs below the subject: in a process namespace of a sandbox, and not our helper. */
export function strayPrograms(pid) {
  return descendants(pid)
    .filter((row) => row.depth > 1 && !isHelper(row))
    .map((row) => `process ${row.pid} ${row.name} (${row.state}, uid ${row.uid})`);
}

function foldersBelow(folder) {
  try {
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names.flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name))]);
  } catch {
    return [];
  }
}

const listing = (folders) =>
  folders.flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
    } catch {
      return [];
    }
  });

/** As root, sandboxes have host ids of their own; else the user's own. */
const isSandboxId = (uid) => uid >= UID_FIRST || (process.getuid() !== 0 && uid === process.getuid());

/** In places that all share: files whose owner is a sandbox's user. */
function strayFiles() {
  return ['/tmp', '/dev/shm', '/var/tmp'].flatMap((folder) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => isSandboxId(statSync(path, { throwIfNoEntry: false })?.uid ?? 0)),
  );
}

function statusNumber(pid, key) {
  const row = new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(readOrNull(`/proc/${pid}/status`) ?? '');
  return Number(row?.[1] ?? 0);
}

/** See collect-on-signal.mjs for servers. */
async function collectIn({ pid }) {
  if (pid === process.pid) return collect();
  process.kill(pid, 'SIGUSR2');
  await sleep(80);
}

const residentBytesOf = ({ pid }) => statusNumber(pid, 'VmRSS') * 1024;

/**
 * Pid → resident memory at rest, the most of all looks: its level. Node's heap gives pages back and takes
 * them again by the ten MiB, so that a single look may be far below.
 */
const levels = new Map();

async function levelOf(subject) {
  await collectIn(subject);
  const level = Math.max(levels.get(subject.pid) ?? 0, residentBytesOf(subject));
  levels.set(subject.pid, level);
  return level;
}

async function settles(withinMs, problems, everyMs = 10) {
  const end = performance.now() + withinMs;
  for (;;) {
    const left = await problems();
    if (left.length === 0 || performance.now() >= end) return left;
    await sleep(everyMs);
  }
}

/** No descriptor comes or goes for a while; for those that never rest, a second. */
async function atRest(pid) {
  const end = performance.now() + 1000;
  for (let before = -1; performance.now() < end; ) {
    const now = openDescriptors(pid).size;
    if (now === before) return;
    before = now;
    await sleep(60);
  }
}

/** As in packages/core/src/cgroup/former-groups.ts. */
const FORMER_GROUPS_MAX = 64;
const V1_ONLY_PROCESSES = new Set(['pids', 'cpu', 'cpuacct', 'cpuset']);

export class Remains {
  #subject;
  #before;

  constructor(subject) {
    this.#subject = subject;
  }

  /** Takes down how things are, once the pool of ready sandboxes has come to rest. */
  async note() {
    const { pid, folders } = this.#subject;
    await atRest(pid);
    this.#before = {
      programs: new Set(strayPrograms(pid)), // what an entry before this one left is that one's
      mounts: readFileSync(`/proc/${pid}/mountinfo`, 'utf8'),
      files: new Set([...listing(folders), ...strayFiles()]),
      descriptors: openDescriptors(pid).size,
      threads: statusNumber(pid, 'Threads'),
      level: await levelOf(this.#subject),
      cgroups: new Set(this.#cgroups()),
    };
  }

  /** One line for each thing that is not as it was, with the name of the check. */
  async problems() {
    const { pid } = this.#subject;
    const found = [];
    const note = (name, left) => found.push(...left.slice(0, 3).map((text) => `${name} ${text}`));
    const check = async (name, withinMs, look) => note(name, await settles(withinMs, look));
    await check('Z1', Z1_MS, () => strayPrograms(pid).filter((text) => !this.#before.programs.has(text)));
    await check('Z2', Z2_MS, () => this.#newCgroups());
    await check('Z3', 0, () => this.#mountChange());
    await check('Z4', SETTLE_MS, () => this.#newFiles());
    await check('Z5', SETTLE_MS, () => this.#newDescriptors());
    note('Z6', await this.#settledGrowth());
    return found;
  }

  #cgroups() {
    return cgroupFolders(this.#subject.pid).flatMap((top) => [top, ...foldersBelow(top)]);
  }

  /**
   * Slot groups belong to the pool, in v2 with a leaf in each; there are as many as it keeps. Where memory is
   * charged there are former ones, too, which hold caches of files.
   */
  #newCgroups() {
    const now = this.#cgroups().filter((path) => !this.#before.cgroups.has(path));
    const slots = now.filter((path) => /\/s\d+(\/main)?$/.test(path));
    const perHierarchy = new Map();
    for (const path of this.#cgroups().filter((one) => /\/s\d+$/.test(one))) {
      const hierarchy = path.split('/')[4];
      perHierarchy.set(hierarchy, (perHierarchy.get(hierarchy) ?? 0) + 1);
    }
    const tooMany = [...perHierarchy].filter(
      ([hierarchy, count]) =>
        count > this.#subject.slotsMax + (V1_ONLY_PROCESSES.has(hierarchy) ? 0 : FORMER_GROUPS_MAX),
    );
    return [
      ...now.filter((path) => !slots.includes(path)).map((path) => `cgroup ${path}`),
      ...tooMany.map(([hierarchy, count]) => `${count} slot groups in ${hierarchy}`),
    ];
  }

  #mountChange() {
    const now = readFileSync(`/proc/${this.#subject.pid}/mountinfo`, 'utf8');
    return now === this.#before.mounts ? [] : ['the mount table of the host process changed'];
  }

  #newFiles() {
    const now = [...listing(this.#subject.folders), ...strayFiles()];
    return now.filter((path) => !this.#before.files.has(path)).map((path) => `file ${path}`);
  }

  #newDescriptors() {
    const descriptors = openDescriptors(this.#subject.pid).size;
    const threads = statusNumber(this.#subject.pid, 'Threads');
    return [
      ...(descriptors <= this.#before.descriptors + DESCRIPTORS_SLACK
        ? []
        : [`${descriptors} descriptors, ${this.#before.descriptors} before`]),
      ...(threads <= this.#before.threads + THREADS_SLACK
        ? []
        : [`${threads} threads, ${this.#before.threads} before`]),
    ];
  }

  async #settledGrowth() {
    for (let round = 1; ; round++) {
      await collectIn(this.#subject);
      const left = await settles(Z6_ROUND_MS, () => this.#growth(), Z6_LOOK_MS);
      if (left.length === 0 || round === Z6_ROUNDS) return left;
    }
  }

  #growth() {
    const grown = residentBytesOf(this.#subject) - this.#before.level;
    return grown <= RSS_GROWTH_MAX ? [] : [`${(grown / 2 ** 20).toFixed(1)} MiB more resident memory`];
  }
}
