/** What the user sees of a run that has ended: one object, or one line. */
import type { RunResult } from '@sbx/core';
import type { Compilation } from '@sbx/languages';
import { EXIT } from '../exit-codes.js';
import { painterFor, printable, printJson, say, sayPainted } from '../terminal.js';
import type { SavedFile } from './copy-out.js';
import { exitCodeOfResult } from './exit-code.js';
import type { Interrupted } from './output-failure.js';
import type { RunRequest } from './request.js';
import { describeResult, type ResultJson } from './result-json.js';
import { summaryOf } from './summary.js';
import type { RunOutcome, RunPlan } from './types.js';
import { weakenedLines } from './weakened.js';

/** The object of `sbx run --json`. Fields are added within a version, never changed or removed. */
interface RunJson extends ResultJson {
  version: 1;
  command: 'run';
  stage: 'compile' | 'run';
  language: string | null;
  compile: ResultJson | null;
  files: readonly SavedFile[];
  exitStatus: number;
}

/** Tells how the run ended and gives the exit code. */
export function reportRun(
  request: RunRequest,
  plan: RunPlan,
  { result, fileErrors }: RunOutcome,
  files: readonly SavedFile[],
): number {
  const isFileError = result.status === 'ok' && fileErrors.length > 0;
  const exitStatus = isFileError ? EXIT.ioError : exitCodeOfResult(result);
  if (request.json) {
    const status = isFileError ? 'file-error' : result.status;
    printJson({
      ...{ version: 1, command: 'run', stage: 'run', language: plan.language },
      ...{ ...describeResult(result), status, ok: status === 'ok', fileErrors },
      compile: plan.compile === null ? null : describeResult(plan.compile),
      ...{ files, exitStatus },
    } satisfies RunJson);
    return exitStatus;
  }
  for (const error of fileErrors) say(`--copy-out: ${error.path}: ${error.message}`);
  if (!request.quiet) sayResult(result);
  return exitStatus;
}

/** Tells what the compiler said and gives the exit code. */
export function reportCompileFailure(
  request: RunRequest,
  { language, result }: Extract<Compilation, { ok: false }>,
): number {
  const exitStatus = EXIT.compileFailed;
  if (request.json) {
    const described = describeResult(result);
    const facts = { version: 1, command: 'run', stage: 'compile', language, ...described } as const;
    printJson({ ...facts, compile: described, files: [], exitStatus } satisfies RunJson);
    return exitStatus;
  }
  // What compilers say about the code is talk, wherever they say it.
  process.stderr.write(result.stdout.bytes);
  process.stderr.write(result.stderr.bytes);
  if (!request.quiet) sayPainted(`did not compile: ${summaryOf(result, painterFor(process.stderr))}`);
  return exitStatus;
}

/**
 * Nothing is known of a run that was cut off by us; scripts that asked for an object get one nevertheless.
 */
export function reportInterrupt(request: RunRequest, { message, exitCode }: Interrupted): number {
  const error = { code: 'INTERRUPTED', message };
  if (request.json) printJson({ version: 1, command: 'run', error, exitStatus: exitCode });
  return exitCode;
}

function sayResult(result: RunResult): void {
  const paint = painterFor(process.stderr);
  for (const line of weakenedLines(result.degraded))
    sayPainted(`${paint('yellow', 'weakened')}: ${printable(line)}`);
  sayPainted(summaryOf(result, paint));
}
