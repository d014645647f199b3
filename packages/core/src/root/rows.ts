/**
 * The rows that show a tree, and what the tree needs for rows below them. Looks at the host only for links in
 * its root.
 */
import { readlinkSync } from 'node:fs';
import { lstatAt, statAt } from '../look-at.js';
import type { MountRow } from '../types/mounts.js';
import type { Entry } from './select.js';
import type { SandboxLease } from './tree.js';

/** Links of merged-usr hosts, whose targets are in the tree. */
const ROOT_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Entries that are bound as a whole: each name in the root, and in /etc, where rows of ours are as well. */
export function topsOf(entries: readonly Entry[]): Map<string, 'folder' | 'file' | 'link'> {
  const tops = new Map<string, 'folder' | 'file' | 'link'>();
  for (const { path, kind } of entries) {
    const top = /^(\/etc)?\/[^/]+/.exec(path)![0];
    tops.set(top, top === path ? kind : 'folder');
  }
  return tops;
}

/** Rows for a tree in `folder`. */
export function rowsOf(folder: string, tops: ReadonlyMap<string, 'folder' | 'file' | 'link'>): MountRow[] {
  const binds = [...tops].map(([top, kind]): MountRow => {
    if (kind === 'link') return { kind: 'symlink', target: top, to: readlinkSync(folder + top) };
    return { kind: 'bind', source: folder + top, target: top, executable: true };
  });
  const links = ROOT_LINKS.filter((path) => !tops.has(path) && isLink(path));
  return [
    ...binds,
    ...links.map((path): MountRow => ({ kind: 'symlink', target: path, to: readlinkSync(path) })),
  ];
}

/** Rows below a read-only bind: what cannot be made there later is in the tree from the start. */
export function placesFor(rows: readonly MountRow[], tops: ReadonlyMap<string, unknown>): SandboxLease[] {
  return rows.flatMap((row): SandboxLease[] => placeFor(row, tops) ?? []);
}

function placeFor(row: MountRow, tops: ReadonlyMap<string, unknown>): SandboxLease[] | null {
  const path = (row.kind === 'bind' ? (row.target ?? row.source) : row.target).replace(/\/+$/, '');
  if (![...tops.keys()].some((top) => path.startsWith(`${top}/`))) return null;
  switch (row.kind) {
    case 'bind':
      return [
        isFolder(row.source) ? { kind: 'folder', path } : { kind: 'text', path, text: '', mode: 0o644 },
      ];
    case 'tmpfs':
    case 'dir':
      return [{ kind: 'folder', path }];
    case 'symlink':
      return [{ kind: 'link', path, to: row.to }];
    case 'file':
      return [{ kind: 'text', path, text: row.text, mode: row.mode ?? 0o644 }];
  }
}

function isLink(path: string): boolean {
  return lstatAt(path)?.isSymbolicLink() ?? false;
}

function isFolder(path: string): boolean {
  return statAt(path)?.isDirectory() ?? false;
}
