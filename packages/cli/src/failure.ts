/** Errors → what the user reads and the exit code. The one place where all kinds of bad news meet. */
import { statSync } from 'node:fs';
import { EXIT, exitCodeOfError } from './exit-codes.js';
import { limitFlag } from './limit-flags.js';
import { painterFor, printable, printableLines, printJson, say, sayPainted } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Told on stderr, or with `json` as an object on stdout. Returns the exit code. */
export function reportFailure(error: unknown, command: string, json: boolean): number {
  const failure = describeFailure(error);
  if (json) {
    printJson({ version: 1, command, error: failure.json, exitStatus: failure.exitCode });
  } else {
    sayPainted(
      `${painterFor(process.stderr)('red', 'error')}: ${failure.shown ?? printable(failure.message)}`,
    );
    if (failure.hint !== null) say(failure.hint);
  }
  return failure.exitCode;
}

interface Failure {
  message: string;
  /** To people, where that is more than one line. */
  shown?: string;
  hint: string | null;
  exitCode: number;
  json: object;
}

/** The part of core's errors that is used here; core itself is not loaded for it. */
interface CodedError extends Error {
  code: string;
  details: Record<string, unknown>;
  /** Of a program that is not inside: the folder of the toolchain that the host has it in. */
  toolchain?: string | null;
}

function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) {
    const { message, hint, exitCode } = error;
    const code = exitCode === EXIT.noInput ? 'NO_INPUT' : 'USAGE';
    return { message, hint, exitCode, json: { code, message, hint } };
  }
  if (isCoded(error)) {
    const { code, details } = error;
    const message = flagMessage(details) ?? commandMessage(error) ?? error.message;
    return {
      message,
      hint: hintFor(error),
      exitCode: exitCodeOfError(code),
      json: { code, message, details },
    };
  }
  if (isOutOfFiles(error)) {
    const message = 'Too many files are open: this process may open no more.';
    const hint =
      'Raise the limit (ulimit -n 1024, LimitNOFILE=), or the one of the machine (sysctl fs.file-max).';
    return {
      message,
      hint,
      exitCode: EXIT.unavailable,
      json: { code: 'TOO_MANY_OPEN_FILES', message, hint },
    };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hint = 'This is a bug in sbx; please report it with the lines above.';
  const shown = printableLines(text);
  return { message: text, shown, hint, exitCode: EXIT.internal, json: { code: 'INTERNAL', message: text } };
}

/** A refused option by the flag that it came from, where there is one. */
function flagMessage({ field, expected, got, hint }: { [fact: string]: unknown }): string | null {
  const [, option = '', limit = ''] = /^options\.(\w+)\.?(\w*)/.exec(String(field)) ?? [];
  const flag = option === 'limits' ? limitFlag(limit) : FLAGS[option];
  if (flag === undefined) return null;
  const sentence = `${flag} ${expected}${got ? `; got ${got}` : ''}.${hint ? ` ${hint}` : ''}`;
  return option === 'limits' ? sentence.replaceAll('null', 'none') : sentence;
}

/** With the flag in place of what a program would write. */
function commandMessage({ code, details: { problem, fix }, message }: CodedError): string | null {
  if (code === 'SBX_BAD_CWD') return `--cwd: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return code === 'SBX_REQUIRED_FEATURE_MISSING' && fix !== undefined ? `${problem} ${fix}` : null;
}

const FLAGS: Readonly<Record<string, string>> = {
  files: '--file',
  copyOut: '--copy-out',
  toolchains: '--toolchain',
  root: '--root',
  language: '--language',
  env: '--env',
  cwd: '--cwd',
};

/** Also while a command is loaded, file by file. */
function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && /^SBX_/.test((error as Partial<CodedError>).code ?? '');
}

const HINTS: Readonly<Record<string, string>> = {
  SBX_PERMISSION: 'sbx doctor --fix prints the commands that mend it.',
  SBX_REQUIRED_FEATURE_MISSING:
    'sbx doctor --fix prints the commands that mend it; --allow-degraded runs with weaker guarantees.',
  SBX_NATIVE_UNAVAILABLE: 'sbx doctor tells more.',
  SBX_LANGUAGE_UNAVAILABLE:
    'sbx languages lists what is there; --toolchain FOLDER brings in one that is not below /usr.',
};

function hintFor(error: CodedError): string | null {
  if (error.details.isLimit) return null; // the doctor finds nothing that is missing
  return error.code === 'SBX_PROGRAM_NOT_FOUND' ? missingHint(error) : (HINTS[error.code] ?? null);
}

/** Where the program that is not inside may be. */
function missingHint({ details, toolchain }: CodedError): string | null {
  if (toolchain) return `Here that is: --toolchain ${toolchain}`;
  const file = String(details.file);
  if (isFile(file))
    return `${file} is a file of yours, which sandboxes do not see: sbx run ${file}, or bring it along with --file ${file}.`;
  return /^\S+ \S/.test(file) ? `Give program and arguments apart: sbx run -- ${file}` : null;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // whatever the reason: then nothing can be said of it
  }
}
