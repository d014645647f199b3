/** The caller's mount table to the rows that the helper applies: looks at the host once, when the engine opens. */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { InvalidOptionsError } from '../errors.js';
import type { TemplateRow } from '../native.js';
import type { MountRow } from '../types.js';

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
      const { sizeBytes = TMPFS_BYTES, inodeCount = TMPFS_FILES, mode = 0o755 } = row;
      return [{ kind: 'tmpfs', source: '', target: relative(row.target), sizeBytes, inodeCount, mode }];
    }
    case 'symlink':
      return [{ kind: 'symlink', source: row.to, target: relative(row.target) }];
    case 'dir':
      return [{ kind: 'dir', source: '', target: relative(row.target), mode: row.mode ?? 0o755 }];
    case 'file':
      return [{ kind: 'file', source: row.text, target: relative(row.target), mode: row.mode ?? 0o644 }];
  }
}

function compileBind(row: Extract<MountRow, { kind: 'bind' }>, index: number): TemplateRow[] {
  const target = relative(row.target ?? row.source);
  const status = lookAt(row.source);
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
  // A link of the host (`/bin` on a merged-usr system) becomes the same link, so that paths inside mean the same.
  if (status.isSymbolicLink() && row.target === undefined) {
    return [{ kind: 'symlink', source: readlinkSync(row.source), target }];
  }
  const { source, writable = false, recursive = false, executable = true } = row;
  const isFile = status.isSymbolicLink() ? !isFolderBehind(source) : !status.isDirectory();
  return [{ kind: 'bind', source, target, writable, recursive, noExec: !executable, isFile }];
}

function lookAt(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function isFolderBehind(path: string): boolean {
  return lstatSync(`${path}/.`, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
