/**
 * `@sbx/adapters/ai-sdk`: a sandbox session of Vercel's AI SDK (`Experimental_SandboxSession` of
 * `@ai-sdk/provider-utils`). Nothing of the framework is loaded here.
 *
 * @packageDocumentation
 */
import { InvalidOptionsError, type Sandbox } from '@sbx/core';
import { slicesOf, untilAborted } from './shared/abort.js';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import { readBytes, unlessMissing } from './shared/files.js';
import { linesOf } from './shared/lines.js';
import { type AdapterOptions, openSandbox } from './shared/open.js';
import { cutLines, Shell } from './shared/shell.js';
import { chunksOf, kill, webStream, writableStream } from './shared/web-streams.js';

export type { AdapterOptions } from './shared/open.js';

/** A file, and an abort that ends the call with its reason. */
export interface PathOptions {
  /** Relative to the work folder, or absolute. */
  path: string;
  /** Ends the call with its reason. */
  abortSignal?: AbortSignal;
}

/** A command. */
export interface CommandOptions {
  /** A line of bash. */
  command: string;
  /** Default: the work folder. */
  workingDirectory?: string;
  /** Added to those of the sandbox. */
  env?: Record<string, string>;
  /** Kills the command; the call, or `wait()`, rejects with its reason. */
  abortSignal?: AbortSignal;
}

/** A living process. */
export interface SessionProcess {
  /** Waits for its reader, and the program with it. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** As `stdout`. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** Its end. Rejects with the reason of an abort. */
  wait(): Promise<{ exitCode: number }>;
  /** Ends it and all that it has started. Safe to call twice. */
  kill(): Promise<void>;
}

/** A living process that reads what is written to it. */
export interface WritableSessionProcess extends SessionProcess {
  /** Closing it is the end of file. */
  readonly stdin: WritableStream<Uint8Array>;
}

/** The session; what its calls do is said by the framework. */
export interface SandboxSession extends AsyncDisposable {
  /** For the agent's instructions. */
  readonly description: string;
  /** For all that the framework has no word for. */
  readonly sandbox: Sandbox;
  /** As a stream; `null` when there is none. */
  readFile(options: PathOptions): Promise<ReadableStream<Uint8Array> | null>;
  /** Up to 64 MiB; `null` when there is none. */
  readBinaryFile(options: PathOptions): Promise<Uint8Array | null>;
  /** As `readBinaryFile`, as text; lines count from 1, the last one is included. */
  readTextFile(
    options: PathOptions & { encoding?: string; startLine?: number; endLine?: number },
  ): Promise<string | null>;
  /** Creates or replaces a file, and the folders that lead to it. */
  writeFile(options: PathOptions & { content: ReadableStream<Uint8Array> }): Promise<void>;
  /** As `writeFile`. */
  writeBinaryFile(options: PathOptions & { content: Uint8Array }): Promise<void>;
  /** As `writeFile`. */
  writeTextFile(options: PathOptions & { content: string; encoding?: string }): Promise<void>;
  /** `null` when there is nothing. Links are followed. */
  stat(options: PathOptions): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>;
  /** `null` when there is no such folder. */
  listDirectory(
    options: PathOptions,
  ): Promise<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }[] | null>;
  /** False when there was none. */
  deleteFile(options: PathOptions): Promise<boolean>;
  /** Starts a command. With `stdin: true` it can be written to. */
  spawn(options: CommandOptions & { stdin: true }): Promise<WritableSessionProcess>;
  /** Starts a command. */
  spawn(options: CommandOptions & { stdin?: boolean }): Promise<SessionProcess>;
  /** Runs a command to its end. Of each output the first MiB. */
  run(options: CommandOptions): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** Kills what runs and removes every trace. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Makes a sandbox session. Close it when the agent is done.
 *
 * @example
 * ```ts
 * await using session = await createSandboxSession({ limits: { memoryBytes: 512 * 2 ** 20 } });
 * const { stdout } = await session.run({ command: 'python3 --version' });
 * ```
 */
export async function createSandboxSession(options: AdapterOptions = {}): Promise<SandboxSession> {
  const opened = await openSandbox(options);
  const shell = new Shell(opened.sandbox, options, '/bin/bash');
  return new SbxSession(opened.sandbox, shell, opened.close, describe(options));
}

/**
 * Of an engine of the caller's nobody here knows the name of the work folder; commands start there in any
 * case.
 */
function describe({ engine, engineOptions }: AdapterOptions): string {
  const about =
    'A Linux sandbox of its own: bash, no network, limits of time, memory and disk. Relative paths start in the work folder.';
  return engine === undefined
    ? `${about}\nCurrent working directory: ${engineOptions?.workDir ?? '/w'}`
    : about;
}

/** Of `Buffer`. */
function encodingOf({ encoding = 'utf-8' }: { encoding?: string }): BufferEncoding {
  if (Buffer.isEncoding(encoding)) return encoding;
  const expected = "must be 'utf-8', 'utf-16le', 'latin1', 'ascii', 'base64', 'base64url' or 'hex'";
  throw new InvalidOptionsError({ field: 'options.encoding', rule: 'choice', expected, got: encoding });
}

const COMMAND_KEYS = ['command', 'workingDirectory', 'env', 'abortSignal', 'stdin'];

/**
 * Frameworks may come to say more than is known here, so an unknown key is named only where the command is
 * missing, which then probably stands there.
 */
function checkCommand(options: CommandOptions): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    const expected = 'must be an object with a command: { command: line }';
    throw new InvalidOptionsError({ field: 'options', rule: 'type', expected, got: typeof given });
  }
  if ('command' in given) return; // the shell looks at its value
  const unknown = Object.keys(given).find((key) => !COMMAND_KEYS.includes(key));
  const known = `Known keys: ${COMMAND_KEYS.join(', ')}.`;
  throw new InvalidOptionsError({
    field: 'command',
    rule: 'type',
    expected: 'must be a string, a line of shell',
    got: 'undefined',
    hint: unknown === undefined ? known : `${JSON.stringify(unknown)} is not a key of a command. ${known}`,
  });
}

const KINDS = { file: 'file', dir: 'directory', symlink: 'symlink', other: 'other' } as const;

class SbxSession implements SandboxSession {
  readonly description: string;
  readonly sandbox: Sandbox;
  readonly #shell: Shell;
  readonly close: () => Promise<void>;

  constructor(sandbox: Sandbox, shell: Shell, close: () => Promise<void>, description: string) {
    this.sandbox = sandbox;
    this.description = description;
    this.#shell = shell;
    this.close = close;
  }

  async readFile({ path, abortSignal }: PathOptions) {
    abortSignal?.throwIfAborted();
    const stat = await unlessMissing(this.sandbox.stat(path));
    return stat === null ? null : webStream(this.sandbox.createReadStream(path), abortSignal);
  }

  async readBinaryFile({ path, abortSignal }: PathOptions) {
    return untilAborted(abortSignal, () => unlessMissing(readBytes(this.sandbox, path)));
  }

  async readTextFile(options: PathOptions & { encoding?: string; startLine?: number; endLine?: number }) {
    const { startLine, endLine } = options;
    const encoding = encodingOf(options);
    const bytes = await this.readBinaryFile(options);
    return bytes === null ? null : linesOf(Buffer.from(bytes).toString(encoding), startLine, endLine);
  }

  async writeFile({ path, content, abortSignal }: PathOptions & { content: ReadableStream<Uint8Array> }) {
    abortSignal?.throwIfAborted();
    await this.sandbox.writeFile(path, chunksOf(content, abortSignal));
  }

  async writeBinaryFile({ path, content, abortSignal }: PathOptions & { content: Uint8Array }) {
    abortSignal?.throwIfAborted();
    const chunks = abortSignal === undefined ? content : slicesOf(content, abortSignal);
    await this.sandbox.writeFile(path, chunks);
  }

  async writeTextFile(options: PathOptions & { content: string; encoding?: string }) {
    const content = Buffer.from(options.content, encodingOf(options));
    return this.writeBinaryFile({ ...options, content });
  }

  async stat({ path, abortSignal }: PathOptions) {
    const stat = await untilAborted(abortSignal, () => unlessMissing(this.sandbox.stat(path)));
    if (stat === null) return null;
    const type = KINDS[stat.kind];
    return { type: type === 'symlink' ? ('other' as const) : type, size: stat.sizeBytes };
  }

  async listDirectory({ path, abortSignal }: PathOptions) {
    const list = () => unlessMissing(this.sandbox.readdir(path, { withFileTypes: true }));
    const entries = await untilAborted(abortSignal, list);
    return entries?.map(({ name, kind }) => ({ name, type: KINDS[kind] })) ?? null;
  }

  async deleteFile({ path, abortSignal }: PathOptions) {
    abortSignal?.throwIfAborted();
    return (await unlessMissing(this.sandbox.rm(path).then(() => true))) ?? false;
  }

  spawn(options: CommandOptions & { stdin: true }): Promise<WritableSessionProcess>;
  spawn(options: CommandOptions & { stdin?: boolean }): Promise<SessionProcess>;
  async spawn(options: CommandOptions & { stdin?: boolean }): Promise<SessionProcess> {
    checkCommand(options);
    const { command, workingDirectory: cwd, env, abortSignal: signal, stdin = false } = options;
    signal?.throwIfAborted();
    const process = await this.#shell.spawn(
      command,
      { cwd, env },
      { stdin: stdin ? 'pipe' : 'empty', stdout: 'pipe', stderr: 'pipe', signal },
    );
    process.result.catch(() => undefined); // told by `wait()`
    return {
      stdout: process.stdout.web(),
      stderr: process.stderr.web(),
      wait: async () => ({ exitCode: exitCodeOf(await process.result) }),
      kill: () => kill(process),
      ...(process.stdin && { stdin: writableStream(process.stdin) }),
    };
  }

  async run(options: CommandOptions) {
    checkCommand(options);
    const { command, workingDirectory: cwd, env, abortSignal: signal } = options;
    signal?.throwIfAborted();
    const result = await this.#shell.run(command, { cwd, env }, { signal });
    return {
      exitCode: exitCodeOf(result),
      stdout: result.stdout.text(),
      stderr: result.stderr.text() + cutLines(result) + verdictLine(result),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
