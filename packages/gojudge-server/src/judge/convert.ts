/** Wire to job. Below this file nothing knows the wire's names. */

import { BadRequest } from '../errors.js';
import type { DecodedCmd, DecodedFile, DecodedPipe, DecodedRequest } from '../wire/request.js';
import type {
  CopyInSource,
  CopyOutEntry,
  Job,
  JobLimits,
  JobPipe,
  JobProgram,
  ProgramFile,
  Source,
} from './job.js';
import type { Settings } from './settings.js';
import { checkSourcePath } from './src-prefix.js';

/** Go-judge dies of a negative one. */
const FD_MAX = 255;
/** Descriptors of a program at its start, as the engine takes them. */
const FD_COUNT_MAX = 48;
/** As the engine takes them. */
const COPY_IN_COUNT_MAX = 65_536;

/** Throws `BadRequest`. `stream`: the forms of `/stream` are legal. */
export function convertRequest(raw: DecodedRequest, settings: Settings, stream: boolean): Job {
  const cmds = raw.cmd ?? [];
  const pipes = cmds.length > 1 ? convertPipes(raw.pipeMapping ?? [], cmds.length) : [];
  const programs = cmds.map((cmd) => convertCmd(cmd, settings, stream));
  if (pipes.length > 0) leaveOutRecorded(programs, pipes);
  return { requestId: raw.requestId ?? '', programs, pipes };
}

/** What a proxy records is not read as a file. */
function leaveOutRecorded(programs: readonly JobProgram[], pipes: readonly JobPipe[]): void {
  const recorded = programs.map(() => new Set<string>());
  for (const { writer, proxy, name } of pipes) if (proxy && name !== '') recorded[writer.index]?.add(name);
  for (const [index, program] of programs.entries()) {
    const names = recorded[index]!;
    if (names.size > 0) program.copyOut = program.copyOut.filter(({ name }) => !names.has(name));
  }
}

function convertCmd(cmd: DecodedCmd, settings: Settings, stream: boolean): JobProgram {
  const { copyOut = [], copyOutCached = [], copyIn = new Map<string, DecodedFile>() } = cmd;
  if ((cmd.files?.length ?? 0) > FD_COUNT_MAX)
    throw new BadRequest(`files: more than ${FD_COUNT_MAX} entries`);
  if (copyIn.size > COPY_IN_COUNT_MAX) throw new BadRequest(`copyIn: more than ${COPY_IN_COUNT_MAX} entries`);
  const files = (cmd.files ?? []).map((file) => convertFile(file, settings, stream));
  const cachedNames = new Set(copyOutCached.map((name) => name.replace(/\?$/, '')));
  return {
    args: cmd.args ?? [],
    env: cmd.env ?? [],
    files,
    tty: cmd.tty ?? false,
    limits: convertLimits(cmd),
    copyIn: [...copyIn].map(([path, file]) => [path, convertCopyIn(file, settings)]),
    copyOut: copyOutEntries(copyOut, copyOutCached, cachedNames, files),
    cachedNames,
    copyOutMax: cmd.copyOutMax || settings.copyOutLimitBytes,
    truncate: cmd.copyOutTruncate ?? false,
  };
}

function convertLimits(cmd: DecodedCmd): JobLimits {
  const cpuNs = cmd.cpuLimit ?? 0;
  const explicitClockNs = cmd.realCpuLimit || cmd.clockLimit || 0;
  return {
    cpuNs,
    explicitClockNs,
    clockNs: explicitClockNs || cpuNs,
    memoryBytes: cmd.memoryLimit ?? 0,
    stackBytes: cmd.stackLimit ?? 0,
    processCount: cmd.procLimit ?? 0,
    cpuRate: cmd.cpuRateLimit ?? 0,
    cpuSet: cmd.cpuSetLimit ?? '',
    dataSegment: (cmd.dataSegmentLimit ?? false) || (cmd.strictMemoryLimit ?? false),
    addressSpace: cmd.addressSpaceLimit ?? false,
  };
}

/**
 * In go-judge's order, which is that of errors. A collector's name is not read as a file, and nothing is
 * returned twice.
 */
function copyOutEntries(
  plain: readonly string[],
  cached: readonly string[],
  cachedNames: ReadonlySet<string>,
  files: readonly (ProgramFile | null)[],
): CopyOutEntry[] {
  if (plain.length === 0 && cached.length === 0) return [];
  const taken = new Set(files.flatMap((file) => (file?.kind === 'collector' ? [file.name] : [])));
  const returned = new Set<string>();
  return [...toEntries(plain, false), ...toEntries(cached, true)]
    .filter(({ name }) => !taken.has(name))
    .map((entry) => {
      const { name, cached: isCached } = entry;
      const isReturned = !returned.has(name) && (isCached || !cachedNames.has(name));
      if (isReturned) returned.add(name);
      return { returned: isReturned, ...entry };
    });
}

function toEntries(names: readonly string[], cached: boolean): Omit<CopyOutEntry, 'returned'>[] {
  return names.map((name) => ({ name: name.replace(/\?$/, ''), optional: name.endsWith('?'), cached }));
}

function convertFile(file: DecodedFile | null, settings: Settings, stream: boolean): ProgramFile | null {
  if (file === null) return null;
  if (stream && file.streamIn) return { kind: 'stream-in' };
  if (stream && file.streamOut) return { kind: 'stream-out' };
  const source = convertSource(file, settings);
  if (source !== null) return source;
  if (file.name !== undefined && file.max !== undefined) {
    return { kind: 'collector', name: file.name, max: file.max, pipe: file.pipe ?? false };
  }
  throw noForm(file);
}

function convertCopyIn(file: DecodedFile, settings: Settings): CopyInSource {
  if (file.symlink !== undefined) return { kind: 'symlink', target: file.symlink };
  const source = convertSource(file, settings);
  if (source !== null) return source;
  if (file.name !== undefined && file.max !== undefined) return { kind: 'unreadable' };
  throw noForm(file);
}

function convertSource(file: DecodedFile, settings: Settings): Source | null {
  if (file.src !== undefined) {
    checkSourcePath(file.src, settings.srcPrefix);
    return { kind: 'src', path: file.src };
  }
  if (file.content !== undefined) return { kind: 'content', text: file.content };
  return file.fileId === undefined ? null : { kind: 'stored', id: file.fileId };
}

function noForm(file: DecodedFile): BadRequest {
  return new BadRequest(`file type is not valid for cmd: ${JSON.stringify(file)}`);
}

/** Each pipe takes two descriptors that no other one has: of more, one would be there twice. */
function convertPipes(raw: readonly DecodedPipe[], programCount: number): JobPipe[] {
  const countMax = (programCount * (FD_MAX + 1)) / 2;
  if (raw.length > countMax) {
    throw new BadRequest(`pipeMapping: more than ${countMax} entries for ${programCount} programs`);
  }
  const pipes = raw.map(convertPipe);
  for (const { writer, reader } of pipes) {
    for (const { fd } of [writer, reader]) {
      if (fd < 0 || fd > FD_MAX) throw new BadRequest(`pipeMapping: fd ${fd} is not from 0 to ${FD_MAX}`);
    }
  }
  return pipes;
}

function convertPipe(pipe: DecodedPipe): JobPipe {
  return {
    writer: { index: pipe.in?.index ?? 0, fd: pipe.in?.fd ?? 0 },
    reader: { index: pipe.out?.index ?? 0, fd: pipe.out?.fd ?? 0 },
    proxy: pipe.proxy ?? false,
    name: pipe.name ?? '',
    max: pipe.max ?? 0,
  };
}
