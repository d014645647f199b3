/** Sentences of errors, made of their facts. */
import { errnoName, errnoText } from './errno.js';
import { ERROR_CODES, type FileErrorCode } from './error-codes.js';
import type { RunResult } from './types.js';

/** What is known of a program that could not be found. */
export interface MissingProgram {
  /** As it was asked for. */
  file: string;
  /** Paths inside the sandbox that were looked at, in order. */
  tried: readonly string[];
  /** It exists on the host; `null` when it was not looked up. */
  existsOnHost: boolean | null;
  /** Found, but not its interpreter or loader; no PATH to look in. */
  more?: { found?: string; noPath?: true };
}

/** Of `ProgramNotFoundError`. */
export function notFoundText({ file, tried, existsOnHost, more = {} }: MissingProgram): string {
  const where = tried.length > 0 ? ` (looked at ${tried.join(', ')})` : '';
  return `There is no program ${JSON.stringify(file)} inside the sandbox${where}.${whyNotFound(existsOnHost, more)}`;
}

function whyNotFound(existsOnHost: boolean | null, more: NonNullable<MissingProgram['more']>): string {
  if (more.found) return ` ${more.found} is there, but not the interpreter or loader that it names.`;
  if (existsOnHost)
    return ' It exists on the host, but no mount brings it into the sandbox: add one to EngineOptions.mounts.';
  if (more.noPath)
    return ' The environment given has no PATH: add one, such as DEFAULT_ENV.PATH, or name the program by its path.';
  return '';
}

/** Refusals that the system's own words do not explain. */
const OF_OURS: ReadonlySet<FileErrorCode> = new Set(['SBX_FILE_OUTSIDE', 'SBX_FILE_NO_SPACE']);

/** Why an operation on a file failed. */
export function fileReason(code: FileErrorCode, errno: number): string {
  if (errno === 0 || OF_OURS.has(code)) return ERROR_CODES[code].meaning;
  return `${errnoName(errno)}: ${errnoText(errno)}`;
}

/** How a program ended that did not end well. */
export function endText({ status, exitCode, exitSignal, fileErrors }: RunResult): string {
  const how = exitSignal ?? `exit code ${exitCode}`;
  const files = status === 'file-error' ? `: ${fileErrors.map(({ message }) => message).join(', ')}` : '';
  return `The program ended with status ${status} (${how})${files}.`;
}
