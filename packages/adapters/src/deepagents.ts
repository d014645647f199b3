/**
 * `@sbx/adapters/deepagents`: a backend of LangChain's deepagents. Its file tools and `execute` work in one
 * sandbox. Nothing of the framework is loaded here: the caller hands its `BaseSandbox` in.
 *
 * @packageDocumentation
 */
import { randomUUID } from 'node:crypto';
import { InvalidOptionsError, isSbxError, type Sandbox, type SbxError } from '@sbx/core';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import { readBytes } from './shared/files.js';
import { type AdapterOptions, type OpenedSandbox, openSandbox } from './shared/open.js';
import { Shell } from './shared/shell.js';

export type { AdapterOptions } from './shared/open.js';

/** Why a file could not be written or read, in deepagents' words. */
export type FileOperationError = 'file_not_found' | 'permission_denied' | 'is_directory' | 'invalid_path';

/** The part of the backend that is ours; all other tools of deepagents' `BaseSandbox` stand on it. */
export interface DeepAgentsBackend extends AsyncDisposable {
  /** Of this sandbox alone. */
  readonly id: string;
  /** For all that the framework has no word for. */
  readonly sandbox: Sandbox;
  /** False once it is closed, also by the end of its lifetime. */
  readonly isRunning: boolean;
  /**
   * Runs a line of shell; stdout and stderr come in one, in order. What a limit ended says so in its last
   * line.
   */
  execute(command: string): Promise<{ output: string; exitCode: number; truncated: boolean }>;
  /** Writes files; each tells its own error. */
  uploadFiles(
    files: [path: string, content: Uint8Array][],
  ): Promise<{ path: string; error: FileOperationError | null }[]>;
  /** Reads files of up to 64 MiB; each tells its own error. */
  downloadFiles(
    paths: string[],
  ): Promise<{ path: string; content: Uint8Array | null; error: FileOperationError | null }[]>;
  /** Kills what runs and removes every trace. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Makes a sandbox for `createDeepAgent({ backend })`. Close it when the agent is done.
 *
 * @param base `BaseSandbox` of `deepagents`.
 *
 * @example
 * ```ts
 * const limits = { memoryBytes: 512 * 2 ** 20 };
 * await using backend = await createDeepAgentsSandbox(BaseSandbox, { limits });
 * const agent = createDeepAgent({ model, backend });
 * ```
 */
export async function createDeepAgentsSandbox<Base extends object>(
  base: abstract new () => Base,
  options: AdapterOptions = {},
): Promise<Base & DeepAgentsBackend> {
  if (typeof base !== 'function') {
    const expected = 'must be the class BaseSandbox of deepagents';
    const hint = 'Call createDeepAgentsSandbox(BaseSandbox, options).';
    throw new InvalidOptionsError({ field: 'base', rule: 'type', expected, got: typeof base, hint });
  }
  const Backend = backendOver(base as unknown as new () => object);
  const opened = await openSandbox(options);
  try {
    return new Backend(opened, new Shell(opened.sandbox, options)) as unknown as Base & DeepAgentsBackend;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function backendOver(base: new () => object) {
  return class SbxSandbox extends base implements DeepAgentsBackend {
    readonly id: string = `sbx-${randomUUID()}`;
    readonly sandbox: Sandbox;
    readonly #opened: OpenedSandbox;
    readonly #shell: Shell;

    constructor(opened: OpenedSandbox, shell: Shell) {
      super();
      this.#opened = opened;
      this.#shell = shell;
      this.sandbox = opened.sandbox;
    }

    get isRunning(): boolean {
      return !this.sandbox.isClosed;
    }

    async execute(command: string) {
      const result = await this.#shell.run(command, {}, { stderr: { sameAs: 1 } });
      const { stdout } = result;
      return {
        output: stdout.text() + verdictLine(result),
        exitCode: exitCodeOf(result),
        truncated: stdout.truncated,
      };
    }

    async uploadFiles(files: [path: string, content: Uint8Array][]) {
      const responses: { path: string; error: FileOperationError | null }[] = [];
      for (const [path, content] of files) {
        const error = await errorOf(path, () => this.sandbox.writeFile(path, content));
        responses.push({ path, error });
      }
      return responses;
    }

    async downloadFiles(paths: string[]) {
      const responses: { path: string; content: Uint8Array | null; error: FileOperationError | null }[] = [];
      for (const path of paths) {
        let content: Uint8Array | null = null;
        const error = await errorOf(path, async () => {
          content = await this.#read(path);
        });
        responses.push({ path, content, error });
      }
      return responses;
    }

    close(): Promise<void> {
      return this.#opened.close();
    }

    [Symbol.asyncDispose](): Promise<void> {
      return this.close();
    }

    async #read(path: string): Promise<Uint8Array> {
      const { kind } = await this.sandbox.stat(path);
      if (kind === 'dir') throw new FolderError();
      return readBytes(this.sandbox, path);
    }
  };
}

/** Reading a folder is said in other ways by the engine. */
class FolderError extends Error {}

/** `null`: it went well. What is no matter of the file (a closed sandbox, a full disk) is thrown. */
async function errorOf(path: string, work: () => Promise<void>): Promise<FileOperationError | null> {
  if (!path.startsWith('/')) return 'invalid_path';
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof FolderError) return 'is_directory';
    const code = isSbxError(error) ? CODES.get(error.code) : undefined;
    if (code === undefined) throw error;
    return code;
  }
}

const CODES = new Map<SbxError['code'], FileOperationError>([
  ['SBX_FILE_NOT_FOUND', 'file_not_found'],
  ['SBX_FILE_IS_FOLDER', 'is_directory'],
  ['SBX_FILE_DENIED', 'permission_denied'],
  ['SBX_FILE_OUTSIDE', 'permission_denied'],
  ['SBX_FILE_NOT_REGULAR', 'permission_denied'],
  ['SBX_FILE_TOO_LARGE', 'permission_denied'],
  ['SBX_FILE_NOT_FOLDER', 'invalid_path'],
  ['SBX_INVALID_OPTIONS', 'invalid_path'],
]);
