/**
 * The only file that loads the addon. It is loaded at first use, never at import, so that types and pure helpers work
 * anywhere. Functions of the addon return negative error numbers; what that means is said by their callers.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UnsupportedError } from './errors.js';

/** A step at which the helper can fail; the list is in `native/common/stage.h`. */
export type Stage = string;

export interface FailedMessage {
  kind: 'failed';
  programId: number;
  stage: Stage;
  stageText: string;
  index: number;
  errno: number;
}

/** Init's last word about one program. `null`: nothing could measure it. */
export interface EndedMessage {
  kind: 'ended';
  programId: number;
  waitStatus: number;
  cause: 'none' | 'cpu-limit' | 'wall-limit' | 'output-limit' | 'memory-limit' | 'killed';
  cpuNs: number | null;
  wallNs: number;
  memoryPeakBytes: number | null;
  memoryBaselineBytes: number | null;
  fileCacheBytes: number;
  oomKillCount: number;
  taskPeak: number | null;
  taskPeakBefore: number | null;
  maxRssBytes: number;
}

export type HelperMessage =
  | { kind: 'ready'; fds: number[] }
  | FailedMessage
  | { kind: 'started'; programId: number; pid: number; fds: number[] }
  | EndedMessage
  | { kind: 'closed' };

/** A row of the mount table as the helper takes it; `target` relative to the new root. */
export interface TemplateRow {
  kind: 'bind' | 'dir' | 'file' | 'symlink' | 'tmpfs';
  source: string;
  target: string;
  mode?: number;
  writable?: boolean;
  noExec?: boolean;
  recursive?: boolean;
  isFile?: boolean;
  sizeBytes?: number;
  inodeCount?: number;
}

/** Cgroup files handed to the helper: one descriptor per set bit of the mask, lowest first. */
export interface CounterFds {
  counterMask: number;
  counters: number[];
  oomEventfd: boolean;
}

/** What is fixed when a sandbox is made. 0 means no limit. */
export interface PrepareMessage {
  loopback: boolean;
  strict: boolean;
  seccompKill: boolean;
  terminal: boolean;
  diskBytes: number;
  diskFileCount: number;
}

export interface StartMessage extends Partial<CounterFds> {
  oneShot: boolean;
  notify: boolean;
  terminal: boolean;
  ownGroup: boolean;
  programId: number;
  /** 0: none. */
  cpuLimitNs: number;
  wallLimitNs: number;
  memoryLimitBytes: number;
  cpuCount: number;
  cols?: number;
  rows?: number;
  /** Pairs: target, flags (`FD_NULL`, `FD_HOLD`). */
  fdRows: number[];
  /** One per row without `FD_NULL`. */
  fds: number[];
  joins: number[];
  /** Triples: resource, soft, hard; -1 is unlimited. */
  rlimits: number[];
  writeCounters: number[];
  writeTexts: string[];
  cwd: string;
  paths: string[];
  args: string[];
  env: string[];
}

/** Flags of a descriptor row; `native/common/record.h` says what they do. */
export const FD_NULL = 1;
export const FD_HOLD = 2;

/** The host's end of a socket to zygote, keeper or init. Methods return 0 or a negative error number. */
export interface Channel {
  template(message: {
    rootless: boolean;
    insideUid: number;
    hostname: string;
    workDir: string;
    cgroupName: string;
    cgroupParents: number[];
    mounts: TemplateRow[];
  }): number;
  newSlot(message: { slotId: number; uidBase: number; channel: number }): number;
  groups(message: CounterFds & { joins: number[]; folder: number }): number;
  prepare(message: PrepareMessage): number;
  start(message: StartMessage): number;
  signal(message: { programId: number; signal: number; everything: boolean; cause: number }): number;
  close(): void;
}

/** Takes what a program writes; owns its descriptor. */
export interface NativeReader {
  /** Takes what is there and closes: [bytes kept, bytes in all]. */
  finish(): [Uint8Array, number];
  pause(): void;
  resume(): void;
  close(): void;
}

/** Feeds a program; owns its descriptor. */
export interface NativeWriter {
  /** 0: taken. 1: `done` will be called with 0 or a negative error number. Negative: refused. */
  write(bytes: Uint8Array, done: (result: number) => void): number;
  close(): void;
}

export interface ReaderHandlers {
  /** Capture up to so many bytes; without it the stream flows. */
  limitBytes?: number;
  onData?: (chunk: Uint8Array) => void;
  onEnd?: () => void;
  onOverflow?: () => void;
}

/** `owner`: host id that new files belong to, -1 for our own. */
export interface Native {
  constants: {
    recordVersion: number;
    counters: string[];
    causes: string[];
    stages: string[];
    planBytesMax: number;
    programFdsMax: number;
    programsMax: number;
    mountRowsMax: number;
  };
  Channel: new (fd: number, onMessage: (message: HelperMessage) => void) => Channel;
  Reader: new (fd: number, handlers: ReaderHandlers) => NativeReader;
  Writer: new (fd: number) => NativeWriter;
  spawnHelper(options: { path: string; rootless: boolean }): {
    error: number;
    pid: number;
    channel: number;
    pidfd: number;
  };
  endHelper(pidfd: number): void;
  reapHelper(pidfd: number): boolean;
  signalHelper(pidfd: number, signal: number): number;
  channelPair(): [number, number] | number;
  holdLoop(): void;
  releaseLoop(): void;
  openBeneath(options: {
    dir: number;
    path: string;
    flags: number;
    mode?: number;
    owner?: number;
    follow?: boolean;
  }): number;
  makeFolder(options: { dir: number; name: string; mode: number; owner: number }): number;
  makeSymlink(options: { dir: number; name: string; to: string; owner: number }): number;
  renameIn(options: { fromDir: number; from: string; toDir: number; to: string; owner: number }): number;
  writeFileBeneath(options: {
    dir: number;
    path: string;
    bytes: Uint8Array;
    mode: number;
    owner: number;
    parents?: boolean;
    follow?: boolean;
  }): number;
  /** [bytes, mode, bytes read] or a negative error number; EFBIG when larger than `maxBytes`, EINVAL when not regular. */
  readFileBeneath(options: {
    dir: number;
    path: string;
    maxBytes: number;
    follow?: boolean;
  }): [Uint8Array, number, number] | number;
  removeTree(options: { dir: number; name: string; owner: number }): Promise<number>;
  pipe(): [number, number] | number;
  memoryFile(bytes: Uint8Array): number;
  eventFd(): number;
  closeFds(fds: number[]): void;
  duplicateFd(fd: number): number;
  resizeTerminal(options: { fd: number; cols: number; rows: number }): number;
  readCounterFile(fd: number): string | number;
}

interface Loaded {
  native: Native;
  helperPath: string;
}

let loaded: Loaded | undefined;

/** Loads the addon once per environment. Throws `UnsupportedError` with everything needed to find out why it cannot. */
export function loadNative(): Loaded {
  loaded ??= load();
  return loaded;
}

function load(): Loaded {
  if (process.platform !== 'linux') {
    throw new UnsupportedError({
      code: 'SBX_UNSUPPORTED_PLATFORM',
      message: `@sbx/core runs programs on Linux only; this is ${process.platform}.`,
      hint: 'The client packages work here: point one at a server on a Linux machine.',
    });
  }
  const libc = libcName();
  const platform = `linux-${process.arch}-${libc}`;
  const folder = process.env.SBX_NATIVE_PATH ?? join(packageRoot(), 'prebuilds', platform);
  const addonPath = join(folder, 'sbx.node');
  if (!existsSync(addonPath)) throw noPrebuilt(platform, addonPath);
  try {
    const native = createRequire(import.meta.url)(addonPath) as Native;
    return { native, helperPath: join(folder, 'sbx-helper') };
  } catch (cause) {
    throw new UnsupportedError({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: `The native addon ${addonPath} does not load on ${platform} (Node ${process.version}): ${(cause as Error).message}.`,
      hint: 'Reinstall @sbx/core; in a checkout run `npm run setup`. `sbx doctor` shows more.',
      details: { platform, path: addonPath },
      cause,
    });
  }
}

function noPrebuilt(platform: string, path: string): UnsupportedError {
  return new UnsupportedError({
    code: 'SBX_NATIVE_UNAVAILABLE',
    message: `There is no native addon for ${platform}; looked at ${path}.`,
    hint: 'Prebuilt ones exist for linux-x64-glibc; elsewhere build with `node native/build.mjs` in a checkout and set SBX_NATIVE_PATH to the folder.',
    details: { platform, path },
  });
}

/** musl has no glibc version in the report. The report would otherwise wait for reverse DNS of open sockets. */
function libcName(): 'glibc' | 'musl' {
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  if (before !== undefined) report.excludeNetwork = before;
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/** Works from `src/` and from `dist/`: both lie in the package's folder. */
function packageRoot(): string {
  return dirname(dirname(fileURLToPath(import.meta.url)));
}

/** Version of this package, for people. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version as string;
}
