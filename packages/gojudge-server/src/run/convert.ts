/** Wire to job, and a job's limits to the engine's. Below this file nothing knows the wire's names. */
import type { Limits } from '@sbx/core';
import type { RawCmd, RawFile, RawPipe, RawRequest } from '../decode/request.js';
import { BadRequest, StartFailure } from '../errors.js';
import type { Settings } from '../settings.js';
import type { CopyOutEntry, Job, JobLimits, JobPipe, JobProgram, ProgramFile, Source } from './job.js';
import { checkSourcePath } from './src-prefix.js';

const NS_PER_MS = 1e6;
const MiB = 2 ** 20;
/** Least that the engine takes; a request for less is measured against its own limit all the same. */
const TIME_MS_MIN = 1;
const TIME_MS_MAX = 9_000_000_000;
const STACK_BYTES_MIN = 131_072;
const PROCESSES_MAX = 4_194_304;
/** 1 ms of the default period. */
const CPU_RATE_MIN = 10;
/** Go-judge dies of a negative one. */
const FD_MAX = 255;

/** Throws `BadRequest`. `stream`: the forms of `/stream` are legal. */
export function convertRequest(raw: RawRequest, settings: Settings, stream: boolean): Job {
  const cmds = raw.cmd ?? [];
  const pipes = cmds.length > 1 ? (raw.pipeMapping ?? []).map(convertPipe) : [];
  for (const { writer, reader } of pipes) {
    for (const { fd } of [writer, reader]) {
      if (fd < 0 || fd > FD_MAX) throw new BadRequest(`pipeMapping: fd ${fd} is not from 0 to ${FD_MAX}`);
    }
  }
  const programs = cmds.map((cmd) => convertCmd(cmd, settings, stream));
  for (const { writer, proxy, name } of pipes) {
    const program = programs[writer.index];
    // What a proxy records is not read as a file.
    if (proxy && name !== '' && program !== undefined) {
      program.copyOut = program.copyOut.filter((entry) => entry.name !== name);
    }
  }
  return { requestId: raw.requestId ?? '', programs, pipes };
}

function convertCmd(cmd: RawCmd, settings: Settings, stream: boolean): JobProgram {
  const { copyOut = [], copyOutCached = [], copyIn = new Map<string, RawFile>() } = cmd;
  if ((cmd.files?.length ?? 0) > FD_MAX + 1) throw new BadRequest(`files: more than ${FD_MAX + 1} entries`);
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

function convertLimits(cmd: RawCmd): JobLimits {
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

/** A collector's name is not read as a file, and a cached one not returned as text too. */
function copyOutEntries(
  plain: readonly string[],
  cached: readonly string[],
  cachedNames: ReadonlySet<string>,
  files: readonly (ProgramFile | null)[],
): CopyOutEntry[] {
  const taken = new Set(files.flatMap((file) => (file?.kind === 'collector' ? [file.name] : [])));
  const entries = [...toEntries(cached, true), ...toEntries(plain, false)];
  return entries.filter(({ name, cached: isCached }) => {
    return !taken.has(name) && (isCached || !cachedNames.has(name));
  });
}

function toEntries(names: readonly string[], cached: boolean): CopyOutEntry[] {
  const entries = names.map((name) => ({
    name: name.replace(/\?$/, ''),
    optional: name.endsWith('?'),
    cached,
  }));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return [...byName.values()];
}

function convertFile(file: RawFile | null, settings: Settings, stream: boolean): ProgramFile | null {
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

function convertCopyIn(file: RawFile, settings: Settings): Source | { kind: 'symlink'; target: string } {
  if (file.symlink !== undefined) return { kind: 'symlink', target: file.symlink };
  const source = convertSource(file, settings);
  // A collector passes the check of forms, and is told when the file is opened.
  if (source !== null) return source;
  if (file.name !== undefined && file.max !== undefined) return { kind: 'src', path: '' };
  throw noForm(file);
}

function convertSource(file: RawFile, settings: Settings): Source | null {
  if (file.src !== undefined) {
    checkSourcePath(file.src, settings.srcPrefix);
    return { kind: 'src', path: file.src };
  }
  if (file.content !== undefined) return { kind: 'content', text: file.content };
  return file.fileId === undefined ? null : { kind: 'stored', id: file.fileId };
}

function noForm(file: RawFile): BadRequest {
  return new BadRequest(`file type is not valid for cmd: ${JSON.stringify(file)}`);
}

function convertPipe(pipe: RawPipe): JobPipe {
  return {
    writer: { index: pipe.in?.index ?? 0, fd: pipe.in?.fd ?? 0 },
    reader: { index: pipe.out?.index ?? 0, fd: pipe.out?.fd ?? 0 },
    proxy: pipe.proxy ?? false,
    name: pipe.name ?? '',
    max: pipe.max ?? 0,
  };
}

/** Limits of the engine for a program. Throws `StartFailure` for what a cgroup refuses. */
export function engineLimits(limits: JobLimits, settings: Settings, workerCpuSet: string | null): Limits {
  const memoryBytes = Math.min(limits.memoryBytes + settings.extraMemoryBytes, Number.MAX_SAFE_INTEGER);
  const cpuSet = limits.cpuSet || workerCpuSet;
  return {
    cpuTimeMs: milliseconds(limits.cpuNs),
    wallTimeMs: milliseconds(limits.clockNs),
    memoryBytes: Math.max(MiB, memoryBytes),
    processCount: processCount(limits),
    stackBytes: stackBytes(limits, memoryBytes, settings),
    addressSpaceBytes: limits.addressSpace ? Math.max(MiB, memoryBytes) : null,
    fileBytes: settings.outputLimitBytes,
    openFileCount: settings.openFileLimit,
    diskBytes: settings.diskBytes,
    diskFileCount: settings.diskFileCount,
    cpuRate: cpuRate(limits, settings),
    cpuSet: cpuSet || null,
  };
}

function milliseconds(ns: number): number {
  return Math.min(TIME_MS_MAX, Math.max(TIME_MS_MIN, ns / NS_PER_MS));
}

function processCount({ processCount: asked }: JobLimits): number {
  if (asked <= PROCESSES_MAX) return Math.max(1, asked);
  throw new StartFailure('execve: cgroup: failed to set process limit: write pids.max: invalid argument');
}

function stackBytes(
  { stackBytes: asked }: JobLimits,
  memoryBytes: number,
  settings: Settings,
): number | null {
  if (asked === 0) return settings.ownStackBytes;
  return Math.max(STACK_BYTES_MIN, Math.min(asked, memoryBytes));
}

function cpuRate({ cpuRate: asked }: JobLimits, settings: Settings): number | null {
  if (!settings.enableCpuRate || asked === 0) return null;
  if (asked >= CPU_RATE_MIN) return Math.min(asked / 1000, 4096);
  throw new StartFailure(
    'execve: cgroup: failed to set cpu rate limit: write cpu.cfs_quota_us: invalid argument',
  );
}
