/**
 * `sandbox.watch()`. By looking again and again: notices of the kernel (inotify) would be read by the host's
 * loop as fast as a program makes them, which has no bound, and node:fs does not tell of their overflow.
 * docs/decisions/0023-workspaces-as-archives.md.
 */
import { type BigIntStats, constants } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileAccessError, isSbxError } from '../errors.js';
import { inTreeBeside } from '../files/beside-programs.js';
import { O_PATH, type WorkFolder } from '../files/trees.js';
import { walkTree } from '../files/walk.js';
import { validateWatch } from '../options/file-calls.js';
import { checkWorkPath } from '../options/paths.js';
import type { Session } from '../run/session.js';
import type { WatchEvent, WatchOptions } from '../types/files.js';

const INTERVAL_MS = 100;
const ENTRY_COUNT_MAX = 4096;
/** Looks take a fifth of the time at the most, however much there is to look at. */
const REST_PER_LOOK = 4;

/** The entries that one look found. */
interface Look {
  /** Of each path what tells it from its earlier self. */
  marks: Map<string, string>;
  /** It ended at the bound, so what is not in it may be there all the same. */
  isPartial: boolean;
  /** There are names that cannot be looked at. */
  hasSkipped: boolean;
}

/** The first look is taken now. */
export function watchFolder(
  session: Session,
  path: string,
  options: WatchOptions,
): AsyncIterableIterator<WatchEvent> {
  checkWorkPath(path, { root: true });
  validateWatch(options);
  session.checkOpen();
  const first = look(session, path, options);
  first.catch(() => undefined); // reported by the iteration
  return differences(session, path, options, first);
}

async function* differences(
  session: Session,
  path: string,
  options: WatchOptions,
  first: Promise<Look>,
): AsyncGenerator<WatchEvent, void> {
  const { intervalMs = INTERVAL_MS, signal } = options;
  const closing = session.closing;
  const ended = signal === undefined ? closing : AbortSignal.any([closing, signal]);
  const prefix = path === '.' ? '' : `${path.replace(/\/+$/, '')}/`;
  try {
    let before = await first;
    if (isOverflow(before)) yield { kind: 'overflow', path };
    for (let tookMs = 0; ; ) {
      await sleep(Math.max(intervalMs, REST_PER_LOOK * tookMs), undefined, { signal: ended });
      const startedAt = performance.now();
      const now = await lookAgain(session, path, options);
      tookMs = performance.now() - startedAt;
      if (isOverflow(now) && !isOverflow(before)) yield { kind: 'overflow', path };
      for (const [kind, below] of compare(before, now)) yield { kind, path: prefix + below };
      before = now;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!closing.aborted) throw error;
  }
}

function isOverflow({ isPartial, hasSkipped }: Look): boolean {
  return isPartial || hasSkipped;
}

/** A folder that is gone has nothing in it; it may come again. */
async function lookAgain(session: Session, path: string, options: WatchOptions): Promise<Look> {
  try {
    return await look(session, path, options);
  } catch (error) {
    const isGone = isSbxError(error) && GONE_CODES.has(error.code);
    if (!isGone) throw error;
    return { marks: new Map(), isPartial: false, hasSkipped: false };
  }
}

const GONE_CODES: ReadonlySet<string> = new Set(['SBX_FILE_NOT_FOUND', 'SBX_FILE_NOT_FOLDER']);

async function look(session: Session, path: string, options: WatchOptions): Promise<Look> {
  session.checkOpen();
  const { folder } = session.lease;
  const flags = O_PATH | constants.O_DIRECTORY;
  const open = (tree: number, below: string, later: boolean) =>
    folder.native.openBeneath({ dir: tree, path: below, flags, later });
  const dir = await inTreeBeside<number>(folder, path, open, true);
  if (dir < 0) throw new FileAccessError({ operation: 'watch', path, errno: -dir });
  try {
    return await lookIn(folder, dir, options);
  } finally {
    folder.native.closeFds([dir]);
  }
}

async function lookIn(folder: WorkFolder, dir: number, options: WatchOptions): Promise<Look> {
  const { recursive = false, maxEntryCount = ENTRY_COUNT_MAX } = options;
  const marks = new Map<string, string>();
  let hasSkipped = false;
  for await (const entry of walkTree(folder, { dir, path: '.', recursive })) {
    if (marks.size >= maxEntryCount) return { marks, isPartial: true, hasSkipped };
    if ('errno' in entry) hasSkipped = true;
    else marks.set(entry.path, markOf(entry.stats));
  }
  return { marks, isPartial: false, hasSkipped };
}

/** The time of a folder is left out: it changes with its entries, which are reported themselves. */
function markOf(stats: BigIntStats): string {
  const { ino, mode, nlink, size, ctimeNs } = stats;
  return stats.isDirectory() ? `${ino} ${mode}` : `${ino} ${mode} ${nlink} ${size} ${ctimeNs}`;
}

function* compare(before: Look, now: Look): Generator<[Exclude<WatchEvent['kind'], 'overflow'>, string]> {
  if (!now.isPartial)
    for (const path of before.marks.keys()) if (!now.marks.has(path)) yield ['remove', path];
  for (const [path, mark] of now.marks) {
    const earlier = before.marks.get(path);
    if (earlier === undefined && !before.isPartial) yield ['create', path];
    else if (earlier !== undefined && earlier !== mark) yield ['change', path];
  }
}
