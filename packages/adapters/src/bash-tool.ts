/**
 * `@sbx/adapters/bash-tool`: the sandbox of Vercel's bash-tool. Nothing of the framework is loaded here.
 *
 * @packageDocumentation
 */
import type { Sandbox } from '@sbx/core';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import { READ_BYTES_MAX } from './shared/files.js';
import { type AdapterOptions, openSandbox } from './shared/open.js';
import { cutLines, Shell } from './shared/shell.js';

export type { AdapterOptions } from './shared/open.js';

/** How a command ended. */
export interface BashToolResult {
  /** The first MiB. */
  stdout: string;
  /** The first MiB; last lines say which limit ended the command, and what is cut. */
  stderr: string;
  /** As shells have it: 124 for a time limit, 137 for memory. */
  exitCode: number;
}

/** What `createBashTool({ sandbox })` takes. */
export interface BashToolSandbox extends AsyncDisposable {
  /** For all that the framework has no word for. */
  readonly sandbox: Sandbox;
  /** Runs a line of bash. */
  executeCommand(command: string): Promise<BashToolResult>;
  /** A file of up to 64 MiB, as UTF-8. Rejects where there is none. */
  readFile(path: string): Promise<string>;
  /** Creates or replaces files, and the folders that lead to them. */
  writeFiles(files: readonly { path: string; content: string | Uint8Array }[]): Promise<void>;
  /** Kills what runs and removes every trace. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Makes a sandbox for `createBashTool({ sandbox, destination: '/w' })`. Close it when the agent is done.
 *
 * @example
 * ```ts
 * await using sandbox = await createBashToolSandbox();
 * const { tools } = await createBashTool({ sandbox, destination: '/w' });
 * ```
 */
export async function createBashToolSandbox(options: AdapterOptions = {}): Promise<BashToolSandbox> {
  const { sandbox, close } = await openSandbox(options);
  const shell = new Shell(sandbox, options, '/bin/bash');
  return {
    sandbox,
    close,
    [Symbol.asyncDispose]: close,
    async executeCommand(command) {
      const result = await shell.run(command);
      return {
        stdout: result.stdout.text(),
        stderr: result.stderr.text() + cutLines(result) + verdictLine(result),
        exitCode: exitCodeOf(result),
      };
    },
    readFile: (path) => sandbox.readTextFile(path, { maxBytes: READ_BYTES_MAX }),
    async writeFiles(files) {
      for (const { path, content } of files) await sandbox.writeFile(path, content);
    },
  };
}
