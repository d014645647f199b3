/**
 * Options of `Engine.open`: the root that sandboxes see, sizes, limits, and what the machine must be able to
 * do.
 */
import { signalNumber } from '../errno.js';
import { ALLOWABLE_SYSCALLS, PROC_MODES } from '../native/tables.js';
import type { EngineOptions } from '../types/engine.js';
import { FEATURES } from '../types/limits.js';
import { BOOLEAN, by, checkTable, number, table, word } from './check.js';
import { DEFAULT_MAX_SANDBOXES, DEFAULT_WORK_DIR, hostIdCount } from './defaults.js';
import { describe, quote } from './describe.js';
import { LIMITS_RULE } from './limits.js';
import {
  checkAbsolutePath,
  checkMaskPaths,
  checkMaskPlaces,
  checkMountPlaces,
  checkMounts,
} from './mount-rules.js';
import { type Problem, problem, throwProblem, within, wrongType, wrongWord } from './problem.js';
import { checkBesideRoot, checkRoot } from './root.js';
import { checkSeccomp } from './seccomp-rules.js';
import { checkToolchains, toolchainRows } from './toolchains.js';

/** Highest number of sandboxes: each takes two of the host's user ids. */
export const SANDBOX_COUNT_MAX = 65_536;

/** The kernel's last id is 2³² − 2; below 65 536 are accounts of the host and `nobody`. */
const UID_MIN = 65_536;
const UID_MAX = 2 ** 32 - 2;
/** 65 534 is what the kernel shows for every id that is not mapped. */
const INSIDE_UID_MAX = 65_533;
/** Higher ones are real-time signals. */
const SIGNAL_MAX = 31;
/** SIGKILL and SIGSTOP. */
const UNIGNORABLE: readonly (number | null)[] = [9, 19];
/** Folders that every sandbox fills itself, or that are the root. */
const RESERVED = ['/', '/proc', '/dev', '/sys', '/tmp'];

const OF_A_PROGRAM = 'Give it to run, spawn or Sandbox.create.';
const PARALLELISM_HINT = 'Give parallelism: the programs that run at once.';
const TIME_HINT =
  'Give limits: { wallTimeMs } (real time) or { cpuTimeMs } (time on the CPU) of each program.';

/** Names of what programs and sandboxes have, and the engine has not. */
const ENGINE_HINTS: Record<string, string> = {
  timeout: TIME_HINT,
  timeoutMs: TIME_HINT,
  concurrency: PARALLELISM_HINT,
  maxConcurrency: PARALLELISM_HINT,
  workers: PARALLELISM_HINT,
  env: OF_A_PROGRAM,
  files: OF_A_PROGRAM,
  network: OF_A_PROGRAM,
  cwd: 'Give it to run or spawn.',
};

const ENGINE_RULES = {
  mounts: by(checkMounts),
  root: by(checkRoot),
  toolchains: by(checkToolchains),
  maskPaths: by(checkMaskPaths),
  proc: word(...PROC_MODES),
  hostname: by(checkHostname),
  domainname: by(checkDomainname),
  insideUid: number(0, INSIDE_UID_MAX),
  umask: number(0, 0o777),
  ignoredSignals: by(checkIgnoredSignals),
  signalsToInit: word('refuse', 'ignore'),
  workDir: by(checkWorkDir),
  parallelism: number(1, 4096),
  maxSandboxes: number(1, SANDBOX_COUNT_MAX),
  queueLength: number(0, 1_000_000),
  readyCount: number(0, 4096),
  limits: LIMITS_RULE,
  ceilings: LIMITS_RULE,
  cgroup: by(checkCgroup),
  require: by((value) => checkWords(value, 'features', FEATURES)),
  uidBase: number(UID_MIN, UID_MAX),
  seccomp: by(checkSeccomp),
  allowSyscalls: by((value) => checkWords(value, 'system calls', ALLOWABLE_SYSCALLS)),
  landlock: BOOLEAN,
  coreScheduling: BOOLEAN,
  pinning: word('none', 'sandbox'),
};

const ENGINE_TABLE = table<EngineOptions>('the options of Engine.open', ENGINE_RULES, {
  hints: ENGINE_HINTS,
});

/**
 * Checks the options of `Engine.open`. Limits against ceilings: see `engineLimits`. Throws
 * `InvalidOptionsError`.
 */
export function validateEngineOptions(options: unknown): void {
  if (options === undefined) return;
  const found =
    checkTable(options, ENGINE_TABLE) ??
    checkWorld(options as EngineOptions) ??
    checkTogether(options as EngineOptions);
  if (found !== null) throwProblem('options', found);
}

/** Rows and masks against the folders that every sandbox has of its own. */
function checkWorld(options: EngineOptions): Problem | null {
  const { mounts = [], maskPaths = [], toolchains = [], workDir = DEFAULT_WORK_DIR } = options;
  return (
    checkMountPlaces(mounts, workDir) ??
    checkBesideRoot(options) ??
    renamed(checkMountPlaces(toolchainRows(toolchains, []), workDir), '.mounts', '.toolchains') ??
    checkMaskPlaces(maskPaths, workDir)
  );
}

/** A problem of a row that came of another option. */
function renamed(found: Problem | null, from: string, to: string): Problem | null {
  if (found !== null) found.path = found.path.replace(from, to).replace(/\.target$/, '');
  return found;
}

function checkTogether(options: EngineOptions): Problem | null {
  return checkCounts(options) ?? checkIds(options);
}

function checkCounts({ readyCount, parallelism, maxSandboxes }: EngineOptions): Problem | null {
  if (maxSandboxes === undefined) return null;
  const expected = `must be at most maxSandboxes (${maxSandboxes})`;
  if (readyCount !== undefined && readyCount > maxSandboxes) {
    return within('.readyCount', problem('conflict', expected, `${readyCount}`));
  }
  if (parallelism !== undefined && parallelism > maxSandboxes) {
    return within('.parallelism', problem('conflict', expected, `${parallelism}`));
  }
  return null;
}

/** Past the kernel's last id the next one would be 0, the host's root. */
function checkIds({ uidBase, maxSandboxes = DEFAULT_MAX_SANDBOXES }: EngineOptions): Problem | null {
  const highest = UID_MAX - hostIdCount(maxSandboxes);
  if (uidBase === undefined || uidBase <= highest) return null;
  const room = `must be at most ${highest}, so that ${maxSandboxes} sandboxes (maxSandboxes) have ids of their own`;
  return within('.uidBase', problem('conflict', room, `${uidBase}`));
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
  if (/^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(value)) return null;
  return problem('format', 'must be 1 to 64 letters, digits, dots, hyphens and underscores', quote(value));
}

/** Anything printable that the kernel has room for: `(none)` is one. */
function checkDomainname(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('a domain name', value);
  if (/^[!-~]{1,64}$/.test(value)) return null;
  return problem('format', 'must be 1 to 64 printable ASCII characters without spaces', quote(value));
}

function checkCgroup(value: unknown): Problem | null {
  if (value === 'auto' || value === 'none') return null;
  if (typeof value === 'string' && value.startsWith('/')) return checkAbsolutePath(value);
  const rule = typeof value === 'string' ? 'choice' : 'type';
  return problem(rule, "must be 'auto', 'none' or an absolute path", describe(value));
}

function checkIgnoredSignals(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of signals', value);
  const index = value.findIndex((one) => !isIgnorable(one));
  if (index < 0) return null;
  const expected = "must be the name of a signal, 'SIGKILL' and 'SIGSTOP' left out";
  return within(`[${index}]`, problem('choice', expected, describe(value[index])));
}

function isIgnorable(value: unknown): boolean {
  const number = typeof value === 'string' ? signalNumber(value) : null;
  return number !== null && number <= SIGNAL_MAX && !UNIGNORABLE.includes(number);
}

function checkWords(value: unknown, what: string, words: readonly string[]): Problem | null {
  if (!Array.isArray(value)) return wrongType(`an array of ${what}`, value);
  for (let index = 0; index < value.length; index++) {
    if (!words.includes(value[index])) return within(`[${index}]`, wrongWord(value[index], words));
  }
  return null;
}
