/** Options of `Engine.open`: the root that sandboxes see, sizes, limits, and what the machine must be able to do. */
import { type EngineOptions, FEATURES, type MountRow } from '../types.js';
import { BOOLEAN, by, checkTable, number, type Table, table, text, word } from './check.js';
import { describe, quote } from './describe.js';
import { LIMITS_RULE } from './limits.js';
import { PATH_BYTES_MAX } from './paths.js';
import { type Problem, problem, throwProblem, within, wrongType, wrongWord } from './problem.js';

/** Rows of a mount table: a kernel mounts 100 000, but each costs time in every sandbox. */
export const MOUNT_COUNT_MAX = 128;
/** Highest number of sandboxes: each takes two of the host's user ids. */
export const SANDBOX_COUNT_MAX = 65_536;

/** The kernel's last id is 2³² − 2; below 65 536 are accounts of the host and `nobody`. */
const UID_MIN = 65_536;
const UID_MAX = 2 ** 32 - 2;
const GENERATED_FILE_BYTES_MAX = 2 ** 20;
/** Folders that every sandbox fills itself, or that are the root. */
const RESERVED = ['/', '/proc', '/dev', '/sys', '/tmp'];

const PATH = by(checkAbsolutePath);
const MODE = number(0, 0o7777);

const MOUNT_KINDS: readonly MountRow['kind'][] = ['bind', 'tmpfs', 'symlink', 'dir', 'file'];
const KIND = word(...MOUNT_KINDS);

type Row<K extends MountRow['kind']> = Extract<MountRow, { kind: K }>;

const MOUNT_TABLES: Readonly<Record<MountRow['kind'], Table>> = {
  bind: table<Row<'bind'>>(
    'a bind mount',
    {
      kind: KIND,
      source: PATH,
      target: PATH,
      writable: BOOLEAN,
      optional: BOOLEAN,
      recursive: BOOLEAN,
      executable: BOOLEAN,
    },
    { required: ['source'] },
  ),
  tmpfs: table<Row<'tmpfs'>>(
    'a tmpfs mount',
    {
      kind: KIND,
      target: PATH,
      sizeBytes: number(4096, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
      inodeCount: number(1, 2 ** 31 - 1),
      mode: MODE,
    },
    { required: ['target'] },
  ),
  symlink: table<Row<'symlink'>>(
    'a symbolic link',
    { kind: KIND, target: PATH, to: text(PATH_BYTES_MAX) },
    { required: ['target', 'to'] },
  ),
  dir: table<Row<'dir'>>('a folder', { kind: KIND, target: PATH, mode: MODE }, { required: ['target'] }),
  file: table<Row<'file'>>(
    'a generated file',
    {
      kind: KIND,
      target: PATH,
      text: text(GENERATED_FILE_BYTES_MAX, { empty: true, secret: true }),
      mode: MODE,
    },
    { required: ['target', 'text'] },
  ),
};

const ENGINE_TABLE = table<EngineOptions>('the options of Engine.open', {
  mounts: by(checkMounts),
  hostname: by(checkHostname),
  workDir: by(checkWorkDir),
  parallelism: number(1, 4096),
  maxSandboxes: number(1, SANDBOX_COUNT_MAX),
  queueLength: number(0, 1_000_000),
  readyCount: number(0, 4096),
  limits: LIMITS_RULE,
  ceilings: LIMITS_RULE,
  cgroup: by(checkCgroup),
  require: by(checkRequire),
  uidBase: number(UID_MIN, UID_MAX),
  seccomp: word('default', 'strict'),
});

/** Checks the options of `Engine.open`. Limits against ceilings: see `engineLimits`. Throws `InvalidOptionsError`. */
export function validateEngineOptions(options: unknown): void {
  if (options === undefined) return;
  const found = checkTable(options, ENGINE_TABLE) ?? checkTogether(options as EngineOptions);
  if (found !== null) throwProblem('options', found);
}

function checkTogether({ readyCount, parallelism, maxSandboxes, uidBase }: EngineOptions): Problem | null {
  if (maxSandboxes === undefined) return null;
  const expected = `must be at most maxSandboxes (${maxSandboxes})`;
  if (readyCount !== undefined && readyCount > maxSandboxes) {
    return within('.readyCount', problem('conflict', expected, `${readyCount}`));
  }
  if (parallelism !== undefined && parallelism > maxSandboxes) {
    return within('.parallelism', problem('conflict', expected, `${parallelism}`));
  }
  if (uidBase !== undefined && uidBase + 2 * maxSandboxes > UID_MAX) {
    const room = `must leave room for two ids per sandbox below ${UID_MAX}`;
    return within('.uidBase', problem('conflict', room, `${uidBase}`));
  }
  return null;
}

function checkMounts(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of mount rows', value);
  if (value.length > MOUNT_COUNT_MAX) {
    return problem('size', `must have at most ${MOUNT_COUNT_MAX} rows`, `${value.length}`);
  }
  for (let index = 0; index < value.length; index++) {
    const found = checkMount(value[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function checkMount(value: unknown): Problem | null {
  if (typeof value !== 'object' || value === null) return wrongType('a mount row', value);
  const { kind } = value as { kind?: unknown };
  if (typeof kind !== 'string' || !(MOUNT_KINDS as readonly string[]).includes(kind)) {
    return within('.kind', wrongWord(kind, MOUNT_KINDS));
  }
  return checkTable(value, MOUNT_TABLES[kind as MountRow['kind']]);
}

/** Absolute, in one spelling: mounts are compared and ordered by it. */
function checkAbsolutePath(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('an absolute path', value);
  if (value.includes('\0')) return problem('nul', 'must not contain a NUL byte');
  if (!value.startsWith('/')) return problem('format', 'must be an absolute path', quote(value));
  if (Buffer.byteLength(value) > PATH_BYTES_MAX)
    return problem('size', `must be at most ${PATH_BYTES_MAX} bytes`);
  const odd = /\/\/|\/\.\.?(\/|$)/.test(value) || (value.length > 1 && value.endsWith('/'));
  return odd ? problem('format', "must have no '.', '..' or empty parts", quote(value)) : null;
}

function checkWorkDir(value: unknown): Problem | null {
  const found = checkAbsolutePath(value);
  if (found !== null) return found;
  const path = value as string;
  const isReserved = RESERVED.some(
    (folder) => path === folder || (folder !== '/' && path.startsWith(`${folder}/`)),
  );
  if (!isReserved) return null;
  return problem('format', `must not be / or lie in ${RESERVED.slice(1).join(', ')}`, quote(path));
}

function checkHostname(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('a host name', value);
  if (/^[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(value)) return null;
  return problem('format', 'must be 1 to 64 letters, digits, dots and hyphens', quote(value));
}

function checkCgroup(value: unknown): Problem | null {
  if (value === 'auto' || value === 'none') return null;
  if (typeof value === 'string' && value.startsWith('/')) return checkAbsolutePath(value);
  const rule = typeof value === 'string' ? 'choice' : 'type';
  return problem(rule, "must be 'auto', 'none' or an absolute path", describe(value));
}

function checkRequire(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of features', value);
  for (let index = 0; index < value.length; index++) {
    if (!(FEATURES as readonly unknown[]).includes(value[index])) {
      return within(`[${index}]`, wrongWord(value[index], FEATURES));
    }
  }
  return null;
}
