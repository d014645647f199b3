import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadNative } from '../native/native.js';
import type { MountRow } from '../types/mounts.js';
import type { SandboxLease } from './sandbox-lease.js';
import { lookerFor } from './script.js';

const ENOENT = 2;
const WORK_FOLDER = -3;
let shown = '';
let hidden = '';

beforeAll(() => {
  shown = mkdtempSync(join(tmpdir(), 'sbx-script-'));
  hidden = mkdtempSync(join(tmpdir(), 'sbx-script-'));
  writeFileSync(join(shown, 'script'), '#! /usr/bin/none -x\nrest');
  writeFileSync(join(shown, 'program'), '\x7fELF');
  writeFileSync(join(hidden, 'secret'), '#!/secret\n');
  symlinkSync(join(hidden, 'secret'), join(shown, 'link'));
  chmodSync(join(shown, 'script'), 0o755);
});
afterAll(() => {
  for (const folder of [shown, hidden]) rmSync(folder, { recursive: true, force: true });
});

/** `inside`: files of the work folder. `rows`: what the sandbox shows of the host. */
function look(path: string, { inside = {}, cwd, rows, isClosed = false, beforeRead }: Parts = {}) {
  const files: Record<string, string> = { ...inside };
  const readFileBeneath = (asked: { dir: number; path: string; maxBytes: number }) => {
    if (asked.dir !== WORK_FOLDER) {
      beforeRead?.();
      return loadNative().native.readFileBeneath(asked);
    }
    const text = files[asked.path];
    return text === undefined ? -ENOENT : [Buffer.from(text).subarray(0, asked.maxBytes)];
  };
  const lease = {
    core: {
      workDir: '/w',
      info: () => ({ mounts: rows ?? [{ kind: 'bind', source: shown }] }),
    },
    folder: {
      native: { readFileBeneath, readLinkBeneath: () => -ENOENT },
      trees: [{ target: '/w', fd: WORK_FOLDER }],
      checkOpen: () => {
        if (isClosed) throw new Error('closed');
      },
      isLiving: () => false,
    },
  } as unknown as SandboxLease;
  return lookerFor(lease, cwd)(path);
}

interface Parts {
  inside?: Record<string, string>;
  cwd?: string;
  rows?: MountRow[];
  isClosed?: boolean;
  beforeRead?: () => void;
}

it('says which interpreter a script of the sandbox’s own names', () => {
  expect(look('a', { inside: { a: '#!/bin/nosuch\nx' } })).toEqual({ interpreter: '/bin/nosuch' });
  expect(look('a', { inside: { a: '#! \t/bin/x -flag\r\n' } })).toEqual({ interpreter: '/bin/x' });
  expect(look('a', { inside: { a: '#!/bin/sh\r\n' } })).toEqual({ interpreter: '/bin/sh\r' });
  expect(look('a', { inside: { a: 'echo' } })).toEqual({ interpreter: null });
  expect(look('a')).toBeNull();
});

it('relative paths start at the program’s working folder', () => {
  expect(look('a', { inside: { 'sub/a': '#!/x\n' }, cwd: 'sub' })).toEqual({ interpreter: '/x' });
});

it('reads of the host what the sandbox shows at the same place, and nothing else', () => {
  expect(look(join(shown, 'script'))).toEqual({ interpreter: '/usr/bin/none' });
  expect(look(join(shown, 'program'))).toEqual({ interpreter: null });
  expect(look(join(hidden, 'secret'))).toBeNull();
  expect(look(join(shown, 'link'))).toBeNull(); // it leads to what is not shown
  expect(look(shown)).toBeNull();
  const elsewhere = [{ kind: 'bind', source: shown, target: '/elsewhere' }] as MountRow[];
  expect(look(join(shown, 'script'), { rows: elsewhere })).toBeNull();
});

it('follows no link that a program puts there between the two looks', () => {
  mkdirSync(join(shown, 'folder'));
  writeFileSync(join(shown, 'folder', 'secret'), '#!/own\n');
  const path = join(shown, 'folder', 'secret');
  expect(look(path)).toEqual({ interpreter: '/own' });
  const beforeRead = () => {
    renameSync(join(shown, 'folder'), join(shown, 'before'));
    symlinkSync(hidden, join(shown, 'folder'));
  };
  expect(look(path, { beforeRead })).toBeNull();
});

it('looks at nothing once the sandbox is closed', () => {
  expect(look(join(shown, 'script'), { isClosed: true })).toBeNull();
});
