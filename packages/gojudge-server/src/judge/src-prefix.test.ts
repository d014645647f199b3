import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BadRequest } from '../errors.js';
import type { FileStore } from '../store/store.js';
import type { Job } from './job.js';
import { Sources } from './sources.js';
import { checkSourcePath } from './src-prefix.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sbx-src-'));
  mkdirSync(join(dir, 'shown'));
  writeFileSync(join(dir, 'shown/file'), 'shown');
  writeFileSync(join(dir, 'secret'), 'secret');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const jobOf = (path: string) =>
  ({
    programs: [{ files: [], copyIn: [['a', { kind: 'src', path }]], tty: false }],
    pipes: [],
  }) as unknown as Job;
const open = (path: string) => Sources.open(jobOf(path), {} as FileStore, [join(dir, 'shown')]);

it('opens what is below a folder, links within it too', async () => {
  symlinkSync('file', join(dir, 'shown/link'));
  for (const name of ['file', 'link']) {
    const path = join(dir, 'shown', name);
    checkSourcePath(path, [join(dir, 'shown')]);
    const sources = await open(path);
    const source = sources.find({ kind: 'src', path }) as { kind: string; fd: number };
    expect([source.kind, readFileSync(source.fd, 'utf8')]).toEqual(['regular', 'shown']);
    sources.close();
  }
});

it('a name that means another file by the time it is opened is refused', async () => {
  const path = join(dir, 'shown/file');
  checkSourcePath(path, [join(dir, 'shown')]);
  rmSync(path);
  symlinkSync('../secret', path);
  await expect(open(path)).rejects.toThrow(BadRequest);
  rmSync(path);
  mkdirSync(join(dir, 'elsewhere'));
  writeFileSync(join(dir, 'elsewhere/file'), 'secret');
  mkdirSync(join(dir, 'shown/folder'));
  renameSync(join(dir, 'shown/folder'), join(dir, 'away'));
  symlinkSync('../elsewhere', join(dir, 'shown/folder'));
  await expect(open(join(dir, 'shown/folder/file'))).rejects.toThrow('does not under');
});

it.each<[string, string, readonly string[] | null, RegExp | null]>([
  ['all of the host', '/etc/passwd', null, null],
  [
    'nothing',
    '/etc/passwd',
    [],
    /^file \(\/etc\/passwd\) does not under \(\[\]\): start the server with -src-prefix/,
  ],
  ['what is always there', '/dev/null', [], null],
  ['another spelling of it', '/dev/../dev/null', [], /does not under/],
  [
    'another folder',
    '/etc/passwd',
    ['/usr', '/bin'],
    /^file \(\/etc\/passwd\) does not under \(\[\/usr \/bin\]\)$/,
  ],
])('allows %s', (_what, path, prefixes, refusal) => {
  const check = () => checkSourcePath(path, prefixes);
  if (refusal === null) check();
  else expect(check).toThrow(refusal);
});

it.each<[string, string, string]>([
  ['the step that is not there', 'missing/b/c', 'lstat {}/missing: no such file or directory'],
  ['where a link would lead', 'dangling', 'lstat {}/gone: no such file or directory'],
  ['where an absolute one would', 'far/x', 'lstat /no-such-folder: no such file or directory'],
  ['a file in the way', 'file/x', 'not a directory'],
  ['a name that no file has', 'a\0b', 'lstat {}/a\0b: invalid argument'],
  ['links without an end', 'loop', 'EvalSymlinks: too many links'],
])('says of a path: %s', (_what, path, message) => {
  const shown = join(dir, 'shown');
  symlinkSync('./gone', join(shown, 'dangling'));
  symlinkSync('/no-such-folder', join(shown, 'far'));
  symlinkSync('loop', join(shown, 'loop'));
  const check = () => checkSourcePath(`${shown}/${path}`, [shown]);
  expect(check).toThrow(new BadRequest(message.replace('{}', shown)));
});
