/**
 * The command line → what is to be run. Everything that can be wrong with it is found here, before the engine
 * opens.
 */
import { open, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { EngineOptions, FileInput, Limits } from '@sbx/core';
import { parseRoot } from '@sbx/serving';
import { EXIT } from '../exit-codes.js';
import type { RunFlags } from '../flags.js';
import { limitsFrom } from '../limit-flags.js';
import { UsageError } from '../usage-error.js';

/** The words, as commander and the split at `--` leave them. */
export interface RunInput {
  file: string | undefined;
  args: readonly string[];
  /** After `--`; `null` when there was none. */
  program: readonly string[] | null;
  flags: RunFlags;
  /** Words of the command, for hints. Default `'run'`. */
  command?: string;
}

export type RunTarget =
  | { kind: 'program'; file: string; args: readonly string[] }
  /** A file of the host: source or executable, decided in `compile.ts`. */
  | {
      kind: 'file';
      path: string;
      name: string;
      content: Buffer;
      mode: number;
      args: readonly string[];
      language?: string;
    };

export interface RunRequest {
  target: RunTarget;
  limits: Limits;
  env: Record<string, string>;
  files: Record<string, FileInput>;
  /** Name inside → path of the host. */
  copyOut: Record<string, string>;
  cwd?: string;
  network: false | 'loopback';
  seccomp: 'default' | 'strict';
  seccompAction: 'errno' | 'kill';
  tty: boolean;
  allowDegraded: boolean;
  /** Absolute. */
  toolchains: readonly string[];
  root: NonNullable<EngineOptions['root']>;
  json: boolean;
  quiet: boolean;
}

/** Source files beyond this are a mistake (a wrong path, a device). */
const FILE_BYTES_MAX = 64 * 2 ** 20;

export async function makeRequest(input: RunInput): Promise<RunRequest> {
  const { flags } = input;
  const { cwd, network, seccomp, seccompAction } = flags;
  const { tty = false, allowDegraded = false, json = false, quiet = false } = flags;
  if (tty) checkTerminal(json);
  return {
    limits: limitsFrom(flags),
    env: pairsFrom(flags.env, '--env', 'NAME=value'),
    files: await inputFiles(flags.file),
    copyOut: namedPaths(flags.copyOut, '--copy-out', nameAlone),
    target: await targetOf(input),
    network: network === 'none' ? false : network,
    toolchains: (flags.toolchain ?? []).map((folder) => resolve(folder)),
    root: rootFrom(flags.root ?? 'host'),
    ...{ cwd, seccomp, seccompAction, tty, allowDegraded, json, quiet },
  };
}

function rootFrom(text: string): NonNullable<EngineOptions['root']> {
  const root = parseRoot(text);
  if (root !== null) return root;
  throw new UsageError(
    `--root must be host, minimal or minimal:PACKAGE,…; got ${JSON.stringify(text)}`,
    'An example: --root minimal:gcc,libc6-dev',
  );
}

function checkTerminal(json: boolean): void {
  if (json) throw new UsageError('--tty and --json exclude each other');
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new UsageError('--tty needs a terminal on stdin and stdout');
}

async function targetOf({ file, args, program, flags, command = 'run' }: RunInput): Promise<RunTarget> {
  if (file !== undefined) return fileTarget(file, [...args, ...(program ?? [])], flags.language);
  const [name, ...rest] = program ?? [];
  if (name === undefined) {
    throw new UsageError('nothing to run', `Write: sbx ${command} FILE, or: sbx ${command} -- PROGRAM ARGS…`);
  }
  if (name === '') throw new UsageError('the name of the program is empty');
  if (flags.language !== undefined)
    throw new UsageError('--language is for files, not for programs after --');
  return { kind: 'program', file: name, args: rest };
}

async function fileTarget(path: string, args: readonly string[], language?: string): Promise<RunTarget> {
  const { content, mode } = await readHostFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof UsageError) throw error;
    const missing = error.code === 'ENOENT';
    const message = missing
      ? `there is no file ${JSON.stringify(path)}`
      : `cannot read ${path}: ${error.code === 'EISDIR' ? 'it is a folder' : error.message}`;
    throw new UsageError(message, missing ? missingFileHint(path, args, language) : null, EXIT.noInput);
  });
  return { kind: 'file', path, name: basename(path), content, mode, args, ...(language ? { language } : {}) };
}

/** What was probably meant by the name of a file that is not there. */
function missingFileHint(path: string, args: readonly string[], language = 'NAME'): string | null {
  if (path === '-')
    return `To run what comes on stdin, write: sbx run --language ${language} /dev/stdin; the program's own stdin is empty then`;
  // A name with an extension is one of a file.
  if (/\.[a-z]\w*$/.test(path)) return null;
  return `To run a program of the sandbox, write: sbx run -- ${[path, ...args].join(' ')}`;
}

async function readHostFile(path: string): Promise<{ content: Buffer; mode: number }> {
  const file = await open(path);
  try {
    const { size, mode } = await file.stat();
    if (size > FILE_BYTES_MAX) throw tooLarge(path, `${size} bytes`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    // A pipe and a device have no size, and a device no end.
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      bytes += chunk.length;
      if (bytes > FILE_BYTES_MAX) throw tooLarge(path, `more than ${FILE_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
    return { content: Buffer.concat(chunks), mode };
  } finally {
    await file.close();
  }
}

function tooLarge(path: string, size: string): UsageError {
  return new UsageError(`${path} is too large to run: ${size}`, null, EXIT.noInput);
}

/** `NAME=PATH` or `PATH`: a host file under a name in the work folder, its mode kept. */
async function inputFiles(words: readonly string[] | undefined): Promise<Record<string, FileInput>> {
  const files: Record<string, FileInput> = Object.create(null);
  for (const [name, path] of Object.entries(namedPaths(words, '--file', hostPathAlone))) {
    const { mode } = await stat(path).catch((error: Error) => {
      throw new UsageError(`--file: cannot read ${path}: ${error.message}`, null, EXIT.noInput);
    });
    files[name] = { hostFile: path, mode: mode & 0o777 };
  }
  return files;
}

/** A path of the host alone has its last part as the name inside. */
const hostPathAlone = (path: string) => `${basename(path)}=${path}`;
/** A name inside alone goes to the current folder. */
const nameAlone = (name: string) => `${name}=${basename(name)}`;

function namedPaths(
  words: readonly string[] | undefined,
  flag: string,
  complete: (word: string) => string,
): Record<string, string> {
  const full = words?.map((word) => (word.includes('=') ? word : complete(word)));
  return pairsFrom(full, flag, 'NAME=PATH');
}

function pairsFrom(words: readonly string[] = [], flag: string, form: string): Record<string, string> {
  const pairs: Record<string, string> = Object.create(null);
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`${flag}: ${JSON.stringify(word)} has not the form ${form}`);
    const name = word.slice(0, at);
    if (Object.hasOwn(pairs, name)) throw new UsageError(`${flag}: ${JSON.stringify(name)} is given twice`);
    pairs[name] = word.slice(at + 1);
  }
  return pairs;
}
