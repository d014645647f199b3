/** Files as TanStack AI names them. */
import { constants } from 'node:fs';
import type { FileStat, Sandbox } from '@sbx/core';
import { join, READ_BYTES_MAX, readBytes, unlessMissing } from './shared/files.js';
import type { TanstackFs } from './tanstack-types.js';

/** The framework's name of the work folder, whatever that is inside. */
const WORKSPACE = '/workspace';

/** In core's words: relative paths start at the work folder. */
export function inside(path: string): string;
export function inside(path: string | undefined): string | undefined;
export function inside(path: string | undefined): string | undefined {
  if (path === WORKSPACE || path === `${WORKSPACE}/`) return '.';
  return path?.startsWith(`${WORKSPACE}/`) ? path.slice(WORKSPACE.length + 1) : path;
}

export function filesOf(sandbox: Sandbox): TanstackFs {
  return {
    read: (path) => sandbox.readTextFile(inside(path), { maxBytes: READ_BYTES_MAX }),
    readBytes: (path) => readBytes(sandbox, inside(path)),
    write: (path, data) => sandbox.writeFile(inside(path), data),
    async list(path) {
      const entries = await sandbox.readdir(inside(path), { withFileTypes: true });
      return entries.map(({ name, kind }) => ({
        name,
        path: join(path, name),
        type: kind === 'dir' ? 'dir' : 'file',
      }));
    },
    mkdir: (path) => sandbox.mkdir(inside(path), { recursive: true }),
    remove: (path) => sandbox.rm(inside(path), { recursive: true, force: true }),
    rename: (from, to) => sandbox.rename(inside(from), inside(to)),
    exists: async (path) => (await unlessMissing(sandbox.lstat(inside(path)))) !== null,
    async lstat(path) {
      const stat = await unlessMissing(sandbox.lstat(inside(path)));
      return stat === null ? undefined : statOf(stat);
    },
    watch: (path, onEvent) => watch(sandbox, path, onEvent),
  };
}

const KIND_BITS: Readonly<Record<FileStat['kind'], number>> = {
  file: constants.S_IFREG,
  dir: constants.S_IFDIR,
  symlink: constants.S_IFLNK,
  other: 0,
};

function statOf({ kind, mode, sizeBytes }: FileStat) {
  const full = KIND_BITS[kind] | mode;
  return kind === 'file' ? { type: kind, mode: full, size: sizeBytes } : { type: kind, mode: full };
}

async function watch(
  sandbox: Sandbox,
  path: string,
  onEvent: (event: { type: string; path: string }) => void,
): Promise<{ stop(): Promise<void> }> {
  const start = inside(path);
  await sandbox.readdir(start); // what cannot be watched is told here
  const controller = new AbortController();
  const events = sandbox.watch(start, { recursive: true, signal: controller.signal });
  const prefix = path === start ? '' : `${WORKSPACE}/`;
  const done = (async () => {
    for await (const { kind, path: below } of events)
      onEvent({ type: kind, path: below === '.' ? path : `${prefix}${below}` });
  })().catch(() => undefined); // stopped, or the sandbox is gone
  return {
    async stop() {
      controller.abort();
      await done;
    },
  };
}
