/** What kept a program from starting, to its outcome. What fails the request as a whole is thrown. */
import {
  FileAccessError,
  InvalidOptionsError,
  isSbxError,
  OverloadedError,
  ProgramNotFoundError,
  SandboxError,
} from '@sbx/core';
import type { WireStatus } from '@sbx/gojudge-client/wire';
import { E2BIG, ENOENT, ENOSPC, EROFS, EXDEV, errnoOf, errnoText } from '../errno.js';
import { CancelledBefore, plainText, RunFailure, StartFailure } from '../errors.js';
import { collectOutputs } from './collect-outputs.js';
import { copyInFailure } from './copy-in.js';
import { BAD_CPU_SET } from './cpu-list.js';
import type { JobLimits } from './job.js';
import type { Plan } from './plan.js';
import { descriptorPrefix } from './prepare.js';
import { notStarted, type ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';
import { insidePath, isDevice } from './stdio.js';

/** Options that the engine refuses for their size alone, once the request has been parsed. */
const TOO_BIG = new Set(['args', 'env', 'file']);

/** It was not even tried. */
export async function mapUntried(scope: RunScope, plan: Plan): Promise<ProgramResult> {
  const { failure } = plan;
  return failure instanceof StartFailure ? asInternalError(scope, plan, failure) : failure!;
}

/** Throws `RunFailure`, and mistakes of ours. */
export async function mapError(scope: RunScope, plan: Plan, error: unknown): Promise<ProgramResult> {
  throwForRequest(scope, error);
  if (error instanceof FileAccessError) {
    throwForCollector(scope, plan, error);
    const outcome = copyInFailure(scope, plan.program, error);
    if (outcome !== null) return outcome;
  }
  return asInternalError(scope, plan, startFailure(scope, plan, error));
}

/** What fails a request, whichever program it came from. */
export function throwForRequest({ signal }: RunScope, error: unknown): void {
  // What failed for a reason of its own has one to tell, whatever became of the others of its group.
  if (signal.aborted && (!isSbxError(error) || error.code === 'SBX_ABORTED')) throw new CancelledBefore();
  if (error instanceof OverloadedError) throw new RunFailure('worker queue is full', error.retryAfterMs);
}

/** Files of collectors are made before copyIn. */
function throwForCollector({ job, settings }: RunScope, { collectors }: Plan, error: FileAccessError): void {
  const errno = errnoOf(error) || ENOENT;
  const collector = collectors.find(
    ({ name, pipe }) => !pipe && insidePath(name, settings.workDir) === error.path,
  );
  if (collector === undefined || error.operation !== 'write' || errno === ENOSPC) return;
  const { name } = collector;
  const isOdd = error.code === 'SBX_FILE_NOT_REGULAR' || isDevice(error.path);
  const why = errnoText(errno === EXDEV ? EROFS : errno);
  throw new RunFailure(
    `${descriptorPrefix(job)}container: ${name}: ${isOdd ? `${name} is not a regular file` : `open ${name}: ${why}`}`,
  );
}

/** Collectors of a program that was tried are there, empty. */
async function asInternalError(scope: RunScope, plan: Plan, failure: StartFailure): Promise<ProgramResult> {
  const collected = await collectOutputs(scope, plan.program, plan.collectors, null);
  return notStarted(statusOf(failure, plan.program.limits), failure.message, collected);
}

/** Where the program itself is what fails, go-judge has counted a process: it is over every limit of 0. */
function statusOf({ message }: StartFailure, { cpuNs, memoryBytes }: JobLimits): WireStatus {
  if (!message.startsWith('start: ')) return 'Internal Error';
  if (memoryBytes === 0) return 'Memory Limit Exceeded';
  return cpuNs === 0 ? 'Time Limit Exceeded' : 'Internal Error';
}

/** What kept it from starting, in go-judge's words. */
function startFailure({ settings }: RunScope, { program }: Plan, error: unknown): StartFailure {
  const name = program.args[0]!;
  const prefix = settings.runnerConfig.clone3 ? 'execve: ' : '';
  const start = (errno: number) => new StartFailure(`${prefix}start: ${name}: execve: ${errnoText(errno)}`);
  if (error instanceof ProgramNotFoundError) {
    // It is there, and what it names as its interpreter is not.
    const isFound = error.details.found !== undefined;
    if (isFound || name.includes('/')) return start(ENOENT);
    const why =
      error.details.noPath === true
        ? 'no PATH environment variable provided for look up'
        : 'executable file not found in $PATH';
    return new StartFailure(`execve: handle: ${name}: ${why}`);
  }
  if (error instanceof SandboxError && error.stage === 'exec') return start(error.errno);
  const option = error instanceof InvalidOptionsError ? error.option : null;
  if (option !== null && TOO_BIG.has(option)) return start(E2BIG);
  if (!isSbxError(error)) throw error;
  if (option === 'limits.cpuSet' || error.code === 'SBX_PERMISSION') return new StartFailure(BAD_CPU_SET);
  return new StartFailure(`execve: ${plainText(error)}`);
}
