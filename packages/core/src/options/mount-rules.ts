/**
 * Rows of a mount table and masked paths: what may be asked for, and where. What the host has is looked at
 * later.
 */
import type { MountRow } from '../types/mounts.js';
import {
  BOOLEAN,
  by,
  checkTable,
  kernelTextProblem,
  number,
  type Table,
  table,
  text,
  word,
} from './check.js';
import { quote } from './describe.js';
import { PATH_BYTES_MAX } from './paths.js';
import { type Problem, problem, within, wrongType, wrongWord } from './problem.js';

/** Rows of a mount table: a kernel mounts 100 000, but each costs time in every sandbox. */
export const MOUNT_COUNT_MAX = 128;
/** Masked paths; each is a mount as well. */
export const MASK_COUNT_MAX = 64;

/** Devices that are in every sandbox: null, zero, full, random, urandom, tty. */
export const DEVICES: ReadonlySet<string> = new Set(
  ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`),
);
/** Links that are in every sandbox. */
export const DEVICE_LINKS: ReadonlyMap<string, string> = new Map([
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
]);

const GENERATED_FILE_BYTES_MAX = 2 ** 20;
/** Mounted in each sandbox, over whatever the root has there. The work folder is one more. */
const OWN_FOLDERS = ['/proc', '/tmp', '/dev/shm', '/dev/pts'];
/** Of them, those whose bounds a row may give. */
const SIZED_FOLDERS = ['/tmp', '/dev/shm'];

const PATH = by(checkAbsolutePath);
const MODE = number(0, 0o7777);

const MOUNT_KINDS: readonly MountRow['kind'][] = ['bind', 'tmpfs', 'symlink', 'dir', 'file'];
const KIND = word(...MOUNT_KINDS);

type Row<K extends MountRow['kind']> = Extract<MountRow, { kind: K }>;

const MOUNT_TABLES: Readonly<Record<MountRow['kind'], Table>> = {
  bind: table<Row<'bind'>>(
    'a bind mount',
    {
      kind: KIND,
      source: PATH,
      target: PATH,
      writable: BOOLEAN,
      optional: BOOLEAN,
      recursive: BOOLEAN,
      executable: BOOLEAN,
    },
    { required: ['source'] },
  ),
  tmpfs: table<Row<'tmpfs'>>(
    'a tmpfs mount',
    {
      kind: KIND,
      target: PATH,
      sizeBytes: number(4096, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
      inodeCount: number(1, 2 ** 31 - 1),
      mode: MODE,
    },
    { required: ['target'] },
  ),
  symlink: table<Row<'symlink'>>(
    'a symbolic link',
    { kind: KIND, target: PATH, to: text(PATH_BYTES_MAX) },
    { required: ['target', 'to'] },
  ),
  dir: table<Row<'dir'>>('a folder', { kind: KIND, target: PATH, mode: MODE }, { required: ['target'] }),
  file: table<Row<'file'>>(
    'a generated file',
    {
      kind: KIND,
      target: PATH,
      text: text(GENERATED_FILE_BYTES_MAX, { empty: true }), // text for the helper, which ends at a NUL
      mode: MODE,
    },
    { required: ['target', 'text'] },
  ),
};

export function checkMounts(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of mount rows', value);
  if (value.length > MOUNT_COUNT_MAX) {
    return problem('size', `must have at most ${MOUNT_COUNT_MAX} rows`, `${value.length}`);
  }
  for (let index = 0; index < value.length; index++) {
    const found = checkMount(value[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function checkMount(value: unknown): Problem | null {
  if (typeof value !== 'object' || value === null) return wrongType('a mount row', value);
  const { kind } = value as { kind?: unknown };
  if (typeof kind !== 'string' || !(MOUNT_KINDS as readonly string[]).includes(kind)) {
    return within('.kind', wrongWord(kind, MOUNT_KINDS));
  }
  return checkTable(value, MOUNT_TABLES[kind as MountRow['kind']]);
}

/** Rows where they could not take effect. They must have passed `checkMounts`. */
export function checkMountPlaces(rows: readonly MountRow[], workDir: string): Problem | null {
  for (const [index, row] of rows.entries()) {
    const found = checkPlace(row, workDir);
    if (found !== null) return within(`.mounts[${index}]`, found);
  }
  return null;
}

function checkPlace(row: MountRow, workDir: string): Problem | null {
  const target = row.target ?? (row as Extract<MountRow, { kind: 'bind' }>).source;
  const field = row.target === undefined ? '.source' : '.target';
  if (row.kind === 'symlink' && (DEVICE_LINKS.get(target) ?? row.to) !== row.to) {
    return within(
      '.target',
      problem('conflict', `is a link to ${DEVICE_LINKS.get(target)} already`, quote(target)),
    );
  }
  if (target === '/') return within(field, problem('format', 'must not be the root itself', quote(target)));
  if (row.kind !== 'dir' && target === '/dev') {
    const hint = 'Its devices are there without a row.';
    return within(field, problem('format', 'must not be /dev itself', quote(target), hint));
  }
  const own = ownFolderAt(target, workDir);
  if (own === null || (own === target && row.kind === 'dir')) return null;
  if (own === target && row.kind === 'tmpfs' && (own === workDir || SIZED_FOLDERS.includes(own))) return null;
  return within(
    field,
    problem('format', `must not lie in ${own}, which is fresh in every sandbox`, quote(target)),
  );
}

/** Whether a bind asks for a device that is there anyway. */
export function isDevice(source: string, target: string): boolean {
  return source === target && DEVICES.has(source);
}

function ownFolderAt(path: string, workDir: string): string | null {
  return [workDir, ...OWN_FOLDERS].find((own) => path === own || path.startsWith(`${own}/`)) ?? null;
}

/** Checks `maskPaths`. */
export function checkMaskPaths(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of paths', value);
  if (value.length > MASK_COUNT_MAX) {
    return problem('size', `must have at most ${MASK_COUNT_MAX} paths`, `${value.length}`);
  }
  for (let index = 0; index < value.length; index++) {
    const found = checkAbsolutePath(value[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

/** Masks that could not take effect. They must have passed `checkMaskPaths`. */
export function checkMaskPlaces(paths: readonly string[], workDir: string): Problem | null {
  for (const [index, path] of paths.entries()) {
    const expected = maskProblem(path, workDir);
    if (expected !== null) return within(`.maskPaths[${index}]`, problem('format', expected, quote(path)));
  }
  return null;
}

function maskProblem(path: string, workDir: string): string | null {
  if (path === '/' || path === '/dev') return 'must not be the root or /dev';
  if (isHiddenProc(path)) return null;
  if (path === '/proc') return "must not be /proc itself: that is proc: 'none'";
  const own = ownFolderAt(path, workDir);
  return own === null ? null : `must not lie in ${own}, which is fresh in every sandbox`;
}

/** A name in /proc that no sandbox has: all but those of processes. */
export function isHiddenProc(path: string): boolean {
  const name = /^\/proc\/([^/]+)/.exec(path)?.[1];
  return name !== undefined && !/^(self|thread-self|\d+)$/.test(name);
}

/** Absolute, in one spelling: mounts are compared and ordered by it. */
export function checkAbsolutePath(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('an absolute path', value);
  const found = kernelTextProblem(value);
  if (found !== null) return found;
  if (!value.startsWith('/')) return problem('format', 'must be an absolute path', quote(value));
  if (Buffer.byteLength(value) > PATH_BYTES_MAX)
    return problem('size', `must be at most ${PATH_BYTES_MAX} bytes`);
  const odd = /\/\/|\/\.\.?(\/|$)/.test(value) || (value.length > 1 && value.endsWith('/'));
  return odd ? problem('format', "must have no '.', '..' or empty parts", quote(value)) : null;
}
