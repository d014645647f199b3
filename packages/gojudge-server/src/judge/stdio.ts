/**
 * Descriptors of a job, and the paths that it names, to those of the engine. What `files` does not name is
 * closed in the program.
 */
import { posix } from 'node:path';
import type { FdSpec, InputSpec, OutputSpec } from '@sbx/core';
import { EINVAL, EISDIR, ENAMETOOLONG, errnoText } from '../errno.js';
import { RunFailure } from '../errors.js';
import type { CollectorFile, JobProgram, ProgramFile, Source } from './job.js';
import { descriptorPrefix } from './prepare.js';
import type { RunScope } from './scope.js';
import type { OpenSource } from './sources.js';

/** A collector, with the first descriptor that writes to it: its bound and form count. */
export interface Collector extends CollectorFile {
  fd: number;
}

const CLOSED: FdSpec = { input: 'closed' };
/** As the engine takes it. */
const COLLECTED_BYTES_MAX = 2 ** 31;
/** As go-judge makes it; the umask is 0. */
const FILE_MODE = 0o777;

/**
 * On a terminal only what is none. `taken`: descriptors that pipes of the group fill. Throws `RunFailure` for
 * an impossible name.
 */
export function makeFds(
  scope: RunScope,
  program: JobProgram,
  collectors: readonly Collector[],
  taken: ReadonlySet<number>,
): Record<number, FdSpec> {
  const fds: Record<number, FdSpec> = program.tty ? {} : closedFds(taken);
  for (const [fd, file] of program.files.entries()) {
    if (taken.has(fd) || file === null) continue;
    if (!program.tty) fds[fd] = specOf(scope, program, file, { fd, collectors });
    else if (file.kind === 'src' || file.kind === 'stored') fds[fd] = { input: inputOf(scope, file) };
  }
  return fds;
}

/** Written out, since V8 then makes room for all three at once. */
function closedFds(taken: ReadonlySet<number>): Record<number, FdSpec> {
  const fds: Record<number, FdSpec> = { 0: CLOSED, 1: CLOSED, 2: CLOSED };
  for (const fd of taken) delete fds[fd];
  return fds;
}

/** By name, in order. A terminal has one output, which goes to the first that wants it. */
export function collectorsOf({ files, tty }: JobProgram): Collector[] {
  const found: Collector[] = [];
  for (const [fd, file] of files.entries()) {
    if (file?.kind !== 'collector' || found.some(({ name }) => name === file.name)) continue;
    found.push({ fd, ...file });
  }
  if (!tty) return found;
  const streamed = files.findIndex((file) => file?.kind === 'stream-out');
  return found.slice(0, 1).filter(({ fd }) => streamed < 0 || fd < streamed);
}

/** Bytes that are kept: one more than asked for, by which an overflow is seen. */
export function keptBytes({ max }: CollectorFile, { collectMaxBytes }: RunScope['settings']): number {
  return Math.max(0, Math.min(max + 1, collectMaxBytes, COLLECTED_BYTES_MAX));
}

/**
 * Of one collector that is a pipe: what it brings is in memory while the program runs, beside what the others
 * bring.
 */
function pipedBytes({ settings, budget }: RunScope, collector: Collector, all: readonly Collector[]): number {
  const count = all.filter(({ pipe }) => pipe).length;
  return Math.min(keptBytes(collector, settings), Math.floor(budget.shareBytes / count));
}

interface At {
  fd: number;
  collectors: readonly Collector[];
}

function specOf(scope: RunScope, program: JobProgram, file: ProgramFile, { fd, collectors }: At): FdSpec {
  switch (file.kind) {
    case 'stream-in':
      return { input: 'pipe' };
    case 'stream-out':
      return { output: 'pipe' };
    case 'collector': {
      const collector = collectors.find(({ name }) => name === file.name)!;
      return {
        output:
          collector.fd === fd ? outputOf(scope, program, collector, collectors) : { sameAs: collector.fd },
      };
    }
    default:
      return { input: inputOf(scope, file) };
  }
}

export function inputOf(scope: RunScope, source: Source): InputSpec {
  if (source.kind === 'content') return { text: source.text, seekable: true };
  return sourceInput(scope.sources!.of(source));
}

/** A folder of the host is never handed over: from its descriptor all of the host could be reached. */
function sourceInput(source: OpenSource): InputSpec {
  if (source.kind === 'regular') return { fd: source.fd, seekable: true };
  return source.kind === 'live' ? { stream: source.live } : 'null';
}

function outputOf(
  scope: RunScope,
  program: JobProgram,
  collector: Collector,
  all: readonly Collector[],
): OutputSpec {
  if (collector.pipe)
    return { capture: { maxBytes: pipedBytes(scope, collector, all), overflow: 'discard' } };
  const maxBytes = keptBytes(collector, scope.settings);
  const as = program.cachedNames.has(collector.name) ? 'fd' : 'bytes';
  return {
    file: collectorPath(scope, collector.name),
    mode: FILE_MODE,
    collect: { maxBytes, as },
  };
}

function collectorPath({ job, settings }: RunScope, name: string): string {
  const fail = (why: string) => new RunFailure(`${descriptorPrefix(job)}container: ${name}: ${why}`);
  if (name === '') throw fail('open : no such file or directory');
  const errno = unnameable(name);
  if (errno !== 0) throw fail(`lstat ${name}: ${errnoText(errno)}`);
  const path = insidePath(name, settings.workDir);
  if (path === null) throw fail(`${name} is not a regular file`);
  if (namesFolder(name)) throw fail(`open ${name}: ${errnoText(EISDIR)}`);
  return path;
}

/**
 * Without `.` and `..`, relative when below the work folder; `null` for a folder by its form: the work folder
 * itself, the root.
 */
export function insidePath(path: string, workDir: string): string | null {
  const full = posix.resolve(workDir, path);
  if (full === workDir || full === '/') return null;
  return full.startsWith(`${workDir}/`) ? full.slice(workDir.length + 1) : full;
}

/** By its form: no file has such a path, which `insidePath` would read as one without its end. */
export function namesFolder(path: string): boolean {
  return path.endsWith('/') || path.endsWith('/.');
}

/** Devices of every sandbox, and the links beside them: no place for files. */
export function isDevice(path: string): boolean {
  return /^\/dev\/(null|zero|full|random|urandom|tty|fd|stdin|stdout|stderr)$/.test(posix.normalize(path));
}

/** What the kernel takes of a whole path, its terminating zero left out, and of a name in it. */
export const PATH_BYTES_MAX = 4095;
const NAME_BYTES_MAX = 255;
/** Of UTF-8 for one unit of a string. */
const UNIT_BYTES_MAX = 3;

/** The error number of a path that no file can have; 0 for the others. */
export function unnameable(path: string): number {
  if (path.includes('\0')) return EINVAL;
  if (path.length * UNIT_BYTES_MAX <= NAME_BYTES_MAX) return 0;
  const isLong =
    Buffer.byteLength(path) > PATH_BYTES_MAX ||
    path.split('/').some((name) => Buffer.byteLength(name) > NAME_BYTES_MAX);
  return isLong ? ENAMETOOLONG : 0;
}
