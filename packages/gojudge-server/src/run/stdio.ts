/** Descriptors of a job to those of the engine: what goes in, what is read by us, and what a file of the work folder takes. */
import { createReadStream } from 'node:fs';
import type { FdSpec, InputSpec, OutputSpec, ProgramOptions } from '@sbx/core';
import type { CollectorFile, JobProgram, ProgramFile } from './job.js';
import type { LinkEnd } from './links.js';
import type { RunScope } from './scope.js';
import type { OpenSource } from './sources.js';
import { workPath } from './work-path.js';

/** A collector, with all descriptors that write to it; the first one's bound counts. */
export interface Collector extends CollectorFile {
  fds: number[];
}

export interface Stdio {
  options: Pick<ProgramOptions, 'stdin' | 'stdout' | 'stderr' | 'fds'>;
  collectors: Collector[];
  /** Something is read or written while it runs. */
  living: boolean;
}

/** Of a program without a terminal. */
export function makeStdio(scope: RunScope, program: JobProgram, ends: readonly LinkEnd[]): Stdio {
  const collectors = collectorsOf(program);
  const side = new Map(ends.map((end) => [end.fd, end.side]));
  const fds: Record<number, FdSpec> = {};
  const options: Stdio['options'] = { stdin: 'null', stdout: 'null', stderr: 'null', fds };
  const count = Math.max(program.files.length, ...ends.map(({ fd }) => fd + 1));
  let living = ends.length > 0;
  for (let fd = 0; fd < count; fd += 1) {
    const file = program.files[fd] ?? null;
    const input = side.get(fd) === 'reader' ? 'pipe' : inputOf(scope, file);
    const output = side.get(fd) === 'writer' ? 'pipe' : outputOf(scope, file, collectors, fd);
    if (input === 'pipe' || output === 'pipe') living = true;
    if (fd > 2) place(fds, fd, input, output);
    else if (fd === 0) options.stdin = input ?? 'null';
    else if (fd === 1) options.stdout = (output ?? 'null') as OutputSpec;
    else options.stderr = output ?? 'null';
  }
  return { options, collectors, living };
}

export function collectorsOf({ files }: JobProgram): Collector[] {
  const byName = new Map<string, Collector>();
  for (const [fd, file] of files.entries()) {
    if (file?.kind !== 'collector') continue;
    const known = byName.get(file.name);
    if (known === undefined) byName.set(file.name, { ...file, fds: [fd] });
    else known.fds.push(fd);
  }
  return [...byName.values()];
}

function place(
  fds: Record<number, FdSpec>,
  fd: number,
  input: InputSpec | null,
  output: OutputSpec | 'stdout' | null,
): void {
  if (input !== null) fds[fd] = { input };
  else if (output !== null && output !== 'stdout') fds[fd] = { output };
}

function inputOf(scope: RunScope, file: ProgramFile | null): InputSpec | null {
  if (file === null) return null;
  if (file.kind === 'content') return { text: file.text };
  if (file.kind === 'stream-in') return 'pipe';
  return file.kind === 'src' || file.kind === 'stored' ? sourceInput(scope.sources.of(file)) : null;
}

function sourceInput({ handle, kind }: OpenSource): InputSpec {
  if (kind === 'regular') return { fd: handle.fd };
  if (kind !== 'other') return 'null';
  return { stream: createReadStream('', { fd: handle.fd, autoClose: false }) };
}

function outputOf(
  scope: RunScope,
  file: ProgramFile | null,
  collectors: readonly Collector[],
  fd: number,
): OutputSpec | 'stdout' | null {
  if (file?.kind === 'stream-out') return 'pipe';
  if (file?.kind !== 'collector') return null;
  const collector = collectors.find(({ name }) => name === file.name)!;
  if (fd === 2 && collector.fds[0] === 1) return 'stdout'; // one open description, so that order is kept
  if (collector.pipe) return fd === collector.fds[0] ? 'pipe' : null;
  return { file: workPath(file.name, scope.settings) ?? file.name };
}
