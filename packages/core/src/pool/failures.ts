/** Reports of the helper to errors: where it failed, why that usually happens, and what to do. */
import { existsSync } from 'node:fs';
import { errnoName } from '../errno.js';
import { OverloadedError, PermissionError, ProgramNotFoundError, SandboxError, SbxError } from '../errors.js';
import { descriptorsError, type FailedMessage } from '../native/native.js';
import { findOnHost, isOfHost } from './find-on-host.js';

/** Layer and fix of permission errors, by the stage that failed. */
const STAGE_HINTS: Readonly<Record<string, { layer: PermissionError['layer']; hint: string }>> = {
  helper: {
    layer: 'userns',
    hint: 'New namespaces were refused. In a container: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined` (Docker, Podman). Else allow user namespaces: `sysctl -w user.max_user_namespaces=15000`, on Debian kernels `kernel.unprivileged_userns_clone=1`, on Ubuntu `kernel.apparmor_restrict_unprivileged_userns=0`. `sbx doctor` tells which.',
  },
  namespaces: {
    layer: 'capability',
    hint: 'Mount and UTS namespaces were refused; an AppArmor or seccomp profile of the container may forbid them. `sbx doctor` tells which.',
  },
  idMap: {
    layer: 'apparmor',
    hint: 'The user map could not be written; on Ubuntu set `kernel.apparmor_restrict_unprivileged_userns=0` or give the program an AppArmor profile with `userns`.',
  },
  slotClone: {
    layer: 'userns',
    hint: 'Raise `user.max_user_namespaces` (and the max_* beside it), or lower `maxSandboxes`.',
  },
  proc: {
    layer: 'seccomp',
    hint: 'A fresh /proc was refused: the container masks its own /proc. Run with `--security-opt systempaths=unconfined` (Docker) or `procMount: Unmasked` (Kubernetes).',
  },
};

/** Why a working folder was refused, by what the kernel or our own look at it (`EXDEV`) said. */
const CWD_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist inside the sandbox',
  ENOTDIR: 'is not a folder, or a part of its path is none',
  EACCES: 'may not be entered by the program',
  ELOOP: 'leads through a link of /proc, or through too many links: give the path of the folder itself',
  EXDEV: 'does not lie in a file system of the sandbox',
};

const FULL_RETRY_MS = 100;

const REFUSALS = new Set(['EPERM', 'EACCES']);

/**
 * Container runtimes refuse `clone3` so that libc falls back to `clone`, whose flags their filter can see.
 * The kernels that we run on have it.
 */
const isRefusal = (stage: string, name: string) =>
  REFUSALS.has(name) || (stage === 'helper' && name === 'ENOSYS');

/** A failed set-up of engine, slot or sandbox. */
export function setupError(failed: Omit<FailedMessage, 'kind' | 'programId'>): SbxError {
  const { stage, stageText, index, errno } = failed;
  const overloaded = descriptorsError(stageText || stage, errno);
  if (overloaded !== null) return overloaded;
  const hint = STAGE_HINTS[stage];
  const details = { stage, index, errno, errnoName: errnoName(errno) };
  const message = `The sandbox could not ${stageText || stage}`;
  if (hint !== undefined && isRefusal(stage, errnoName(errno))) {
    return new PermissionError({ ...hint, message: `${message} (${errnoName(errno)}).`, details });
  }
  return new SandboxError({ code: 'SBX_SANDBOX_SETUP', message, stage, index, errno });
}

/** The program that was to be started. */
export interface StartAttempt {
  file: string;
  cwd: string;
  /** Paths that were tried, in order. */
  paths: readonly string[];
  /** Init looked for the first executable one, and `index` of the failure says which that was. */
  findsFirst: boolean;
  /** A name was looked for, and the environment has no PATH. */
  noPath: boolean;
  /** The engine's root is a minimal one. */
  minimalRoot: boolean;
}

/** The file at a path that could not be executed. */
export interface FoundFile {
  /** As the first line of a script names it; `null`: no script. */
  interpreter: string | null;
}

/**
 * The error that `find` makes. A fault of ours while it looks for the reason is an error of that run, and of
 * nothing else.
 */
export function explained(find: () => SbxError): SbxError {
  try {
    return find();
  } catch (cause) {
    const message = 'The reason for which a program did not start could not be found out.';
    return new SbxError({ code: 'SBX_INTERNAL', message, cause });
  }
}

/** A program that did not start. `look`: whether a path is there inside, and what. */
export function startError(
  failed: FailedMessage,
  attempt: StartAttempt,
  look: (path: string) => FoundFile | null = () => null,
): SbxError {
  const { stage, index, errno } = failed;
  const { file, cwd, paths } = attempt;
  const name = errnoName(errno);
  if (stage === 'workingFolder') {
    const why = CWD_REASONS[name] ?? 'cannot be entered inside the sandbox';
    const isHosts = name === 'ENOENT' && isOfHost(cwd) && existsSync(cwd);
    const advice = isHosts ? '. The host has it, which sandboxes do not see: give files, or a mount' : '';
    const message = `The working folder ${JSON.stringify(cwd)} ${why}${advice}`;
    return new SandboxError({ code: 'SBX_BAD_CWD', message, stage, index, errno, isPlain: true });
  }
  if (stage === 'mask') {
    const message =
      'A path of maskPaths is not covered in this sandbox any more, since the host has put something else there; sandboxes that are made from now on cover it again';
    return new SandboxError({ code: 'SBX_SANDBOX_LOST', message, stage, index, errno });
  }
  if (stage === 'programClone' && name === 'EAGAIN') {
    const message = `No room for the process of ${JSON.stringify(file)}: what lives in the sandbox holds as many as it may. Wait for an end, kill one, or give the sandbox a higher processCount.`;
    return new OverloadedError({ message, retryAfterMs: FULL_RETRY_MS });
  }
  if (stage !== 'exec') return setupError(failed);
  if (name === 'ENOENT' || name === 'ENOTDIR') return notFound(attempt, index, look);
  if (name === 'E2BIG') {
    const message = 'Arguments and environment do not fit the stack limit';
    return new SandboxError({ code: 'SBX_PROGRAM_TOO_BIG', message, stage, index, errno });
  }
  const path = paths[index] ?? file;
  const seen = look(path);
  const interpreter = seen?.interpreter ?? null;
  const named = interpreter === null ? '' : `, a script for ${JSON.stringify(interpreter)},`;
  const isBitMissing = name === 'EACCES' && seen !== null;
  const advice = isBitMissing ? '. Has its file execute permission ({ text, executable: true })?' : '';
  const message = `The program ${JSON.stringify(path)}${named} cannot be executed inside the sandbox${advice}`;
  return new SandboxError({ code: 'SBX_PROGRAM_NOT_EXECUTABLE', message, stage, index, errno });
}

function notFound(
  { file, paths, findsFirst, noPath, minimalRoot }: StartAttempt,
  index: number,
  look: (path: string) => FoundFile | null,
): ProgramNotFoundError {
  const there = findsFirst ? paths[index] : paths.find((path) => look(path) !== null);
  const interpreter = there === undefined ? null : (look(there)?.interpreter ?? null);
  const existsOnHost = paths.some((path) => isOfHost(path) && existsSync(path));
  const onHost = there === undefined && !noPath ? findOnHost(file, paths) : null;
  const isBeside = there === undefined && !file.includes('/') && look(`./${file}`) !== null;
  const more = {
    ...(there !== undefined && { found: there }),
    ...(interpreter !== null && { interpreter }),
    ...(noPath && { noPath }),
    ...(onHost !== null && { onHost }),
    ...(minimalRoot && { minimal: true as const }),
    ...(isBeside && { beside: `./${file}` }),
  };
  return new ProgramNotFoundError({ file, tried: paths, existsOnHost, more });
}

/** The helper of a running sandbox is gone. */
export function lostError(what: string): SandboxError {
  return new SandboxError({ code: 'SBX_SANDBOX_LOST', message: `${what} ended unexpectedly`, stage: 'none' });
}

/** A cgroup of a slot that could not be made. */
export function groupError(cause: NodeJS.ErrnoException): SbxError {
  const message = `A cgroup for a sandbox could not be made: ${cause.message}`;
  const errno = Math.abs(cause.errno ?? 0);
  return (
    descriptorsError('make a cgroup', errno) ??
    new SandboxError({ code: 'SBX_SANDBOX_SETUP', message, stage: 'cgroupJoin', errno, cause })
  );
}
