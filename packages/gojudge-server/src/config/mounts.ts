/**
 * mount.yaml, or go-judge's built-in table, to the root of the engine and to what `GET /config` shows of it.
 */
import { existsSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { DEFAULT_MOUNTS, type EngineOptions, type MountRow } from '@sbx/core';
import type { WireConfig, WireMount } from '@sbx/gojudge-client/wire';
import type { ResolvedMountConf } from './mount-conf.js';
import { parseTmpfsData } from './units.js';

type Row = NonNullable<ResolvedMountConf['mount']>[number];
type RunnerConfig = Omit<WireConfig['runnerConfig'], 'cgroupType' | 'cgroupControllers' | 'clone3'>;

export interface Root {
  engine: Required<
    Pick<EngineOptions, 'mounts' | 'maskPaths' | 'proc' | 'workDir' | 'hostname' | 'domainname'>
  >;
  diskBytes: number | null;
  diskFileCount: number | null;
  shown: RunnerConfig;
}

/** What the programs of the built-in table see of the host: go-judge's rows, those and Java's, or none. */
export type Seen = 'strict' | 'host' | 'minimal';

const READ_ONLY = [
  '/bin',
  '/lib',
  '/lib64',
  '/usr',
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/fpc.cfg',
  '/etc/mono',
  '/var/lib/ghc',
];
/** Debian's and Ubuntu's Java has its settings there and does not start without them. */
const JAVA = DEFAULT_MOUNTS.flatMap((row) =>
  row.kind === 'bind' && row.source.startsWith('/etc/java-') ? [row.source] : [],
);
const DEVICES = ['/dev/null', '/dev/urandom', '/dev/random', '/dev/zero', '/dev/full'];
const SEEN: Record<Seen, readonly string[]> = {
  strict: READ_ONLY,
  host: [...READ_ONLY, ...JAVA],
  minimal: [],
};
const SYMLINKS = [
  { linkPath: '/dev/fd', target: '/proc/self/fd' },
  { linkPath: '/dev/stdin', target: '/proc/self/fd/0' },
  { linkPath: '/dev/stdout', target: '/proc/self/fd/1' },
  { linkPath: '/dev/stderr', target: '/proc/self/fd/2' },
];
const MASKED = [
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
  '/proc/acpi',
  '/proc/asound',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/usr/lib/wsl/drivers',
  '/usr/lib/wsl/lib',
];

const NAME = 'executor_server';
const ID = 1000;
/** mount(2) flags as go-judge passes them. */
const FLAGS = { bindReadWrite: 282_626, bindReadOnly: 282_627, tmpfs: 1030, procReadOnly: 15, proc: 14 };
const TMPFS_MODE = 0o1777;

/** `tmpFsParam` and `seen` count for the built-in table alone. */
export function makeRoot(conf: ResolvedMountConf | null, tmpFsParam: string, seen: Seen = 'host'): Root {
  const rows = (conf?.mount ?? builtIn(tmpFsParam, seen)).filter(
    ({ type, source }) => type !== 'bind' || existsSync(resolve(source)),
  );
  const workDir = conf?.workDir || '/w';
  const disk = parseTmpfsData(rows.find(({ target }) => absolute(target) === workDir)?.data ?? tmpFsParam);
  const links = conf?.symLink?.length ? conf.symLink : SYMLINKS;
  const masked = conf?.maskPath?.length ? conf.maskPath : MASKED;
  return {
    engine: {
      mounts: [...rows.map(engineRow), ...links.flatMap(engineLink)],
      // Below /proc the engine shows a sandbox's own processes alone.
      maskPaths: masked.filter((path) => !absolute(path).startsWith('/proc/')),
      proc: conf === null || conf.proc ? (conf?.procrw ? 'writable' : 'masked') : 'none',
      workDir,
      hostname: conf?.hostName || NAME,
      domainname: conf?.domainName || NAME,
    },
    diskBytes: disk.sizeBytes,
    diskFileCount: disk.inodeCount,
    shown: {
      mount: conf !== null && conf.mount == null ? null : shownMounts(rows, conf),
      symbolicLink: links.map(({ linkPath, target }) => ({ LinkPath: linkPath, Target: target })),
      maskedPaths: masked,
      hostName: conf?.hostName || NAME,
      domainName: conf?.domainName || NAME,
      workDir,
      uid: conf?.uid || ID,
      gid: conf?.gid || ID,
    },
  };
}

/** A minimal root brings what is read-only here. */
function builtIn(tmpFsParam: string, seen: Seen): Row[] {
  const bind = (path: string, readonly: boolean): Row => ({
    type: 'bind',
    source: path,
    target: path,
    readonly,
    data: '',
  });
  const tmpfs = (target: string): Row => ({
    type: 'tmpfs',
    source: '',
    target,
    readonly: false,
    data: tmpFsParam,
  });
  return [
    ...SEEN[seen].map((path) => bind(path, true)),
    ...DEVICES.map((path) => bind(path, false)),
    tmpfs('/w'),
    tmpfs('/tmp'),
  ];
}

/** What the engine cannot grant it refuses, naming the row. */
function engineRow(row: Row): MountRow {
  const target = absolute(row.target);
  if (row.type === 'tmpfs') {
    const { sizeBytes, inodeCount } = parseTmpfsData(row.data);
    return {
      kind: 'tmpfs',
      target,
      mode: TMPFS_MODE,
      sizeBytes: sizeBytes ?? undefined,
      inodeCount: inodeCount ?? undefined,
    };
  }
  const source = resolve(row.source);
  const own = target === source ? {} : { target };
  return { kind: 'bind', source, ...own, writable: !row.readonly, recursive: true };
}

/** Those to the program's own descriptors are in every sandbox. */
function engineLink({ linkPath, target }: { linkPath: string; target: string }): MountRow[] {
  const isThere = SYMLINKS.some((link) => link.linkPath === linkPath && link.target === target);
  return isThere ? [] : [{ kind: 'symlink', target: absolute(linkPath), to: target }];
}

function shownMounts(rows: readonly Row[], conf: ResolvedMountConf | null): WireMount[] {
  const shown = rows.map((row) => ({
    Source: row.type === 'bind' ? resolve(row.source) : 'tmpfs',
    Target: absolute(row.target).slice(1),
    FsType: row.type === 'bind' ? '' : 'tmpfs',
    Data: row.type === 'bind' ? '' : row.data,
    Flags: row.type === 'tmpfs' ? FLAGS.tmpfs : row.readonly ? FLAGS.bindReadOnly : FLAGS.bindReadWrite,
  }));
  if (conf !== null && !conf.proc) return shown;
  const Flags = conf?.procrw ? FLAGS.proc : FLAGS.procReadOnly;
  return [...shown, { Source: 'proc', Target: 'proc', FsType: 'proc', Data: '', Flags }];
}

function absolute(path: string): string {
  return posix.resolve('/', path);
}
