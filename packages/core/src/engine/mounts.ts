/**
 * The caller's mount table to the rows that the helper applies: looks at the host once, when the engine
 * opens.
 */
import { readlinkSync } from 'node:fs';
import { InvalidOptionsError } from '../errors.js';
import { lstatAt, statAt } from '../look-at.js';
import type { TemplateRow } from '../native/native.js';
import { DEVICE_LINKS, DEVICES, isDevice, isHiddenProc } from '../options/mount-rules.js';
import type { MountRow } from '../types/mounts.js';

/** Bounds of a private file system that names none. */
const TMPFS_BYTES = 128 * 2 ** 20;
const TMPFS_FILES = 16_384;

/** Compiles rows in order. Throws `InvalidOptionsError` for a required source that is not there. */
export function compileMounts(rows: readonly MountRow[]): TemplateRow[] {
  return rows.flatMap((row, index) => compileRow(row, index));
}

function compileRow(row: MountRow, index: number): TemplateRow[] {
  switch (row.kind) {
    case 'bind':
      return compileBind(row, index);
    case 'tmpfs': {
      const { sizeBytes = TMPFS_BYTES, inodeCount = TMPFS_FILES, mode = defaultMode(row.target) } = row;
      return [{ kind: 'tmpfs', source: '', target: relative(row.target), sizeBytes, inodeCount, mode }];
    }
    case 'symlink':
      return DEVICE_LINKS.has(row.target)
        ? []
        : [{ kind: 'symlink', source: row.to, target: relative(row.target) }];
    case 'dir':
      return [{ kind: 'dir', source: '', target: relative(row.target), mode: row.mode ?? 0o755 }];
    case 'file':
      return [{ kind: 'file', source: row.text, target: relative(row.target), mode: row.mode ?? 0o644 }];
  }
}

function compileBind(row: Extract<MountRow, { kind: 'bind' }>, index: number): TemplateRow[] {
  const target = relative(row.target ?? row.source);
  if (isDevice(row.source, row.target ?? row.source)) return [];
  // A link of the host (`/bin` on a merged-usr system) becomes the same link, so that paths inside mean the
  // same. With a target of its own a row is for what the link leads to.
  if (row.target === undefined && lstatAt(row.source)?.isSymbolicLink()) {
    return [{ kind: 'symlink', source: readlinkSync(row.source), target }];
  }
  const status = statAt(row.source);
  if (status === null) {
    if (row.optional) return [];
    throw new InvalidOptionsError({
      field: `options.mounts[${index}].source`,
      rule: 'format',
      expected: 'must exist on the host',
      got: row.source,
      hint: 'Set `optional: true` to leave it out where it is missing.',
    });
  }
  if (status.isCharacterDevice() || status.isBlockDevice()) {
    throw new InvalidOptionsError({
      field: `options.mounts[${index}].source`,
      rule: 'format',
      expected: 'must not be a device',
      got: row.source,
      hint: `Every sandbox has ${[...DEVICES].join(', ')}; no other can be given.`,
    });
  }
  const { source, writable = false, recursive = false, executable = true } = row;
  const isFile = !status.isDirectory();
  return [{ kind: 'bind', source, target, writable, recursive, noExec: !executable, isFile }];
}

/** As the folders are that it can stand for. */
function defaultMode(target: string): number {
  return target === '/tmp' || target === '/dev/shm' ? 0o1777 : 0o755;
}

/** Covers, put over everything else. What /proc does not show needs none. */
export function compileMasks(paths: readonly string[]): TemplateRow[] {
  return paths
    .filter((path) => !isHiddenProc(path))
    .map((path) => ({ kind: 'mask', source: '', target: relative(path) }));
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}

/** Where the file systems are mounted that init hands over with a sandbox, in its order. */
export function treeTargets(workDir: string, rows: readonly MountRow[]): string[] {
  const own = [workDir, '/tmp', '/dev/shm'];
  const targets = rows.filter(({ kind }) => kind === 'tmpfs').map((row) => `/${relative(row.target!)}`);
  return [...own, ...targets.filter((target) => !own.includes(target))];
}
