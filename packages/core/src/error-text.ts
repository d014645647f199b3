/** Sentences of errors, made of their facts. */
import { errnoName, errnoText } from './errno.js';
import { ERROR_CODES, type FileErrorCode } from './error-codes.js';
import type { Limits } from './types/limits.js';
import type { RunResult } from './types/result.js';

/** Limits of a run, as far as they are known. */
export type KnownLimits = { readonly [Name in keyof Limits]?: unknown };

/** Facts about a program that could not be found. */
export interface MissingProgram {
  /** As it was asked for. */
  file: string;
  /** Paths inside the sandbox that were looked at, in order. */
  tried: readonly string[];
  /** It exists on the host; `null` when it was not looked up. */
  existsOnHost: boolean | null;
  /** Found, but not its interpreter or loader; no PATH to look in. */
  more?: {
    found?: string;
    noPath?: true;
    /** Of a script that was found, as its first line names it. */
    interpreter?: string;
    /** Where the host has it, outside of what sandboxes see. */
    onHost?: string;
    /** The sandbox's root is a minimal one, which can be given more. */
    minimal?: true;
    /** Its path where the working folder has a file of its name, in which no name is looked for. */
    beside?: string;
  };
}

/** Of `ProgramNotFoundError`. */
export function notFoundText({ file, tried, existsOnHost, more = {} }: MissingProgram): string {
  if (more.interpreter !== undefined) return interpreterText(more.found ?? file, more.interpreter);
  if (more.found !== undefined)
    return `The program ${JSON.stringify(more.found)} is there, but not the interpreter or loader that it names.`;
  const where = tried.length > 0 ? ` (looked at ${tried.join(', ')})` : '';
  return `There is no program ${JSON.stringify(file)} inside the sandbox${where}.${whyNotFound(existsOnHost, more)}`;
}

/** A script whose first line leads nowhere. */
function interpreterText(script: string, interpreter: string): string {
  const is = `The script ${JSON.stringify(script)} is there, but not the interpreter in its first line, ${JSON.stringify(interpreter)}.`;
  if (interpreter.endsWith('\r'))
    return `${is} The line ends with a carriage return: save the file with LF line endings instead of CRLF.`;
  return interpreter.startsWith('/') ? is : `${is} It must be an absolute path.`;
}

function whyNotFound(existsOnHost: boolean | null, more: NonNullable<MissingProgram['more']>): string {
  if (more.beside !== undefined)
    return ` The working folder has a file of that name: give ${JSON.stringify(more.beside)}.`;
  if (more.minimal && (existsOnHost || more.onHost !== undefined))
    return ' The host has it, and the minimal root does not: name its package, or the program itself, in EngineOptions.root.';
  if (more.onHost !== undefined) return onHostText(more.onHost);
  if (existsOnHost)
    return ' It exists on the host, but no mount brings it into the sandbox: give EngineOptions.mounts one, beside those of DEFAULT_MOUNTS.';
  if (more.noPath)
    return ' The environment given has no PATH: add one, such as DEFAULT_ENV.PATH, or name the program by its path.';
  return '';
}

/** Refusals that the system's own words do not explain. */
const OF_OURS: ReadonlySet<FileErrorCode> = new Set([
  'SBX_FILE_OUTSIDE',
  'SBX_FILE_NO_SPACE',
  'SBX_FILE_NOT_REGULAR',
]);

/** Why an operation on a file failed. */
export function fileReason(code: FileErrorCode, errno: number): string {
  if (errno === 0 || OF_OURS.has(code)) return ERROR_CODES[code].meaning;
  return `${errnoName(errno)}: ${errnoText(errno)}`;
}

/** The host has it, where no sandbox sees it. */
function onHostText(path: string): string {
  return ` The host has it as ${path}, which sandboxes do not see: give the engine its toolchain, \`toolchains: [${JSON.stringify(toolchainOf(path))}]\`.`;
}

/** The folder to give for a program of the host. */
export function toolchainOf(path: string): string {
  return /^(.+)\/bin\/[^/]+$/.exec(path)?.[1] ?? path.slice(0, path.lastIndexOf('/'));
}

/** How a program ended that did not end well, under these limits. */
export function endText(result: RunResult, limits: KnownLimits = {}): string {
  const { status, exitCode, exitSignal, fileErrors } = result;
  const how = exitSignal ?? `exit code ${exitCode}`;
  const files = status === 'file-error' ? `: ${fileErrors.map(({ message }) => message).join(', ')}` : '';
  return `The program ended with status ${status} (${how})${files}.${limitText(result, limits)}${stderrText(result)}`;
}

/** Which limit, and what was used of it. */
function limitText({ status, exitSignal, usage, stdout, stderr }: RunResult, limits: KnownLimits): string {
  const [name, used] = ((): [keyof Limits, number | null] | [] => {
    switch (status) {
      case 'cpu-limit':
        return ['cpuTimeMs', usage.cpuTimeMs];
      case 'wall-limit':
        return ['wallTimeMs', usage.wallTimeMs];
      case 'memory-limit':
        return ['memoryBytes', usage.memoryPeakBytes];
      case 'output-limit':
        if (exitSignal === 'SIGXFSZ') return ['fileBytes', null];
        return ['outputBytes', Math.max(stdout.totalBytes, stderr.totalBytes)];
      default:
        return [];
    }
  })();
  const limit = name === undefined ? null : limits[name];
  if (limit === null || limit === undefined) return '';
  return ` The limit ${name} is ${limit}${used === null ? '' : `, used were ${Math.round(used! * 1000) / 1000}`}.`;
}

const STDERR_CHARACTERS_MAX = 1000;
/** All but tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Its last lines of stderr, which usually say why. Terminals are sent no control characters. */
function stderrText({ stderr }: RunResult): string {
  const bytes = stderr.bytes.subarray(-4 * STDERR_CHARACTERS_MAX);
  const text = Buffer.from(bytes).toString('utf8').replace(CONTROLS, ' ').trim();
  if (text === '') return '';
  const end = text.length <= STDERR_CHARACTERS_MAX ? text : `…${text.slice(-STDERR_CHARACTERS_MAX)}`;
  return `\nstderr ends with:\n${end}`;
}
