/**
 * Engine options to the template message of the zygote: the world that every program of the engine finds
 * itself in.
 */
import type { CgroupTree } from '../cgroup/tree.js';
import { signalNumber } from '../errno.js';
import type { TemplateMessage } from '../native/native.js';
import { ALLOWABLE_SYSCALLS, type AllowableSyscall, PROC_MODES } from '../native/tables.js';
import {
  DEFAULT_DOMAINNAME,
  DEFAULT_HOSTNAME,
  DEFAULT_UMASK,
  DEFAULT_WORK_DIR,
  defaultMounts,
  SANDBOX_UID,
} from '../options/defaults.js';
import type { Architecture } from '../options/syscalls.js';
import { checkInterpreters, toolchainRows } from '../options/toolchains.js';
import type { EngineOptions } from '../types/engine.js';
import type { MountRow } from '../types/mounts.js';
import type { FeatureTable } from './features.js';
import { coreLimit } from './kernel.js';
import { compileMasks, compileMounts } from './mounts.js';
import { isRootless } from './rootless.js';
import { compilePolicy } from './seccomp-program.js';

/**
 * The rows of the root: the caller's rows, or the default ones. Throws `InvalidOptionsError` for a venv
 * without its interpreter.
 */
export function mountsOf(options: EngineOptions): readonly MountRow[] {
  const { hostname = DEFAULT_HOSTNAME, workDir = DEFAULT_WORK_DIR, insideUid = SANDBOX_UID } = options;
  const rows = options.mounts ?? defaultMounts(hostname, workDir, insideUid);
  const { toolchains = [] } = options;
  const all = [...rows, ...toolchainRows(toolchains, rows)];
  checkInterpreters(toolchains, all);
  return all;
}

/** The options must have been checked. Throws `InvalidOptionsError` for a mount whose source is not there. */
export function templateOf(
  options: EngineOptions,
  features: FeatureTable,
  tree: CgroupTree | null,
): TemplateMessage {
  const { hostname = DEFAULT_HOSTNAME, workDir = DEFAULT_WORK_DIR, insideUid = SANDBOX_UID } = options;
  const { seccomp } = options;
  return {
    rootless: isRootless(),
    insideUid,
    umask: options.umask ?? DEFAULT_UMASK,
    ignoreSignalsToInit: options.signalsToInit === 'ignore',
    allowedCalls: callBits(options.allowSyscalls ?? []),
    ignoredSignals: signalBits(options.ignoredSignals ?? []),
    landlockAbi: options.landlock === false ? 0 : Number(/\d+/.exec(features.landlock.mechanism ?? '0')![0]),
    coreLimit: coreLimit(),
    coreScheduling: options.coreScheduling === true && features['core-scheduling'].available,
    proc: PROC_MODES.indexOf(options.proc ?? 'masked'),
    hostname,
    domainname: options.domainname ?? DEFAULT_DOMAINNAME,
    workDir,
    mounts: [...compileMounts(mountsOf(options)), ...compileMasks(options.maskPaths ?? [])],
    policy: typeof seccomp === 'object' ? compilePolicy(seccomp, process.arch as Architecture) : [],
    cgroupName: tree?.name ?? '',
    cgroupParents: tree?.parentFds ?? [],
  };
}

function callBits(names: readonly AllowableSyscall[]): number {
  return names.reduce((bits, name) => bits | (1 << ALLOWABLE_SYSCALLS.indexOf(name)), 0);
}

function signalBits(names: readonly string[]): number {
  return names.reduce((bits, name) => bits | (1 << (signalNumber(name)! - 1)), 0);
}
