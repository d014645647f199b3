import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RunFailure } from '../errors.js';
import type { FileStore } from '../store/store.js';
import type { CopyInSource, Job, ProgramFile } from './job.js';
import { Sources } from './sources.js';

const ENOENT = 2;
let folder = '';
const pathOf = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-sources-'));
  writeFileSync(pathOf('a'), 'content');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const src = (path: string) => ({ kind: 'src', path }) as const;
const stored = (id: string) => ({ kind: 'stored', id }) as const;

function jobOf(files: (ProgramFile | null)[], copyIn: CopyInSource[] = []): Job {
  return {
    programs: [{ files, copyIn: copyIn.map((source, index) => [`f${index}`, source]), tty: false }],
    pipes: [],
  } as unknown as Job;
}

function storeOf(opened: number[] = []): FileStore {
  const openFd = (id: string) => {
    if (id !== 'KEPT') return null;
    opened.push(openSync(pathOf('a'), 'r'));
    return opened.at(-1)!;
  };
  return { openFd } as unknown as FileStore;
}

const textOf = (fd: number) => {
  const bytes = Buffer.alloc(100);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, 100, 0));
};

it('a file that is deleted meanwhile stays readable, and is opened once', async () => {
  const sources = await Sources.open(jobOf([src(pathOf('a')), src(pathOf('a'))]), storeOf(), null);
  unlinkSync(pathOf('a'));
  const opened = sources.of(src(pathOf('a')));
  expect(opened.kind).toBe('regular');
  expect(textOf((opened as { fd: number }).fd)).toBe('content');
  sources.close();
});

it('says what each is', async () => {
  const sources = await Sources.open(
    jobOf([], [src(folder), src('/dev/null'), src('/dev/zero')]),
    storeOf(),
    null,
  );
  const kinds = [folder, '/dev/null', '/dev/zero'].map(
    (path) => (sources.find(src(path)) as { kind: string }).kind,
  );
  expect(kinds).toEqual(['folder', 'null', 'live']);
  sources.close();
});

it('a missing file of copyIn is an error number, one of a descriptor fails the request', async () => {
  const missing = pathOf('missing');
  const sources = await Sources.open(jobOf([], [src(missing), src(''), src('a\0')]), storeOf(), null);
  expect([missing, '', 'a\0'].map((path) => sources.find(src(path)))).toEqual([ENOENT, ENOENT, 22]);
  const failed = Sources.open(jobOf([src(missing)]), storeOf(), null);
  await expect(failed).rejects.toThrow(RunFailure);
  await expect(failed).rejects.toThrow(`open file ${missing}: open ${missing}: no such file or directory`);
});

it('stored files come first, and what was opened is closed when one is missing', async () => {
  const opened: number[] = [];
  const job = jobOf([stored('KEPT'), src(pathOf('missing'))], [stored('GONE')]);
  await expect(Sources.open(job, storeOf(opened), null)).rejects.toThrow(
    'file does not exists with id: "GONE"',
  );
  expect(opened).toHaveLength(1);
  expect(() => closeSync(opened[0]!)).toThrow('EBADF');
});

it('nothing outside of the prefixes is opened, not by a link either', async () => {
  const prefixes = [folder];
  const sources = await Sources.open(jobOf([src(pathOf('a'))]), storeOf(), prefixes);
  expect(textOf((sources.of(src(pathOf('a'))) as { fd: number }).fd)).toBe(readFileSync(pathOf('a'), 'utf8'));
  sources.close();
  await expect(Sources.open(jobOf([src('/etc/passwd')]), storeOf(), prefixes)).rejects.toThrow();
});
