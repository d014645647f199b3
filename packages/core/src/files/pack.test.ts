import {
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ENOENT } from '../native/errno.js';
import type { Native } from '../native/native.js';
import { packTree } from './pack.js';
import type { WorkFolder } from './trees.js';

let folder: string;
let fd: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pack-test-'));
  fd = openSync(folder, 'r');
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** `openFile`: what opening a file gives, the folder's own file unless it is an error. */
function workFolder(openFile: (path: string) => number): WorkFolder {
  const native = {
    openBeneath({ dir, path, flags }: { dir: number; path: string; flags: number }) {
      const error = path === '.' ? 0 : openFile(path);
      return error < 0 ? error : openSync(`/proc/self/fd/${dir}/${path}`, flags);
    },
    takeFile(file: number) {
      const bytes = readFileSync(file);
      closeSync(file);
      return [bytes, 0o644, bytes.byteLength];
    },
    closeFds: (fds: number[]) => fds.forEach(closeSync),
  } as unknown as Native;
  const closing = () => new AbortController().signal;
  const trees = [{ target: '/w', fd }];
  const calm = { checkOpen: () => {}, closing, isLiving: () => false, lastCall: null };
  return { native, trees, owner: -1, folderMode: 0o755, ...calm };
}

it('a second name of a file whose first one went away before it was read is the file', async () => {
  writeFileSync(join(folder, 'one'), 'content');
  utimesSync(join(folder, 'one'), 1, 1); // a time that takes no record
  linkSync(join(folder, 'one'), join(folder, 'other'));
  const opened: string[] = [];
  const open = (path: string) => (opened.push(path) === 1 ? ENOENT : 0);
  const archive = await buffer(packTree(workFolder(open), { maxBytes: 100, maxFileCount: 9, uid: 1 }));
  expect(archive.toString('latin1', 0, 5)).toBe(opened[1]!.padEnd(5, '\0'));
  expect(archive.toString('latin1', 156, 157)).toBe('0');
  expect(archive.toString('latin1', 512, 519)).toBe('content');
});
