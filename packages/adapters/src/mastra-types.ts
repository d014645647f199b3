/** The part of `@mastra/core/workspace`'s contract that the adapter stands on and fills in, by shape. */
import type { Sandbox } from '@sbx/core';

/** How a command ended. */
export interface MastraCommandResult {
  /** Exit code 0. */
  success: boolean;
  /** As shells have it: 124 for a time limit, 137 for memory. */
  exitCode: number;
  /** What is retained of it. */
  stdout: string;
  /** What is retained of it; a last line says which limit ended the command. */
  stderr: string;
  /** Real time, in ms. */
  executionTimeMs: number;
  /** A limit of time ended it. */
  timedOut: boolean;
  /** A signal ended it. */
  killed: boolean;
}

/** What is said beside a command. */
export interface MastraSpawnOptions {
  /** Real time, in ms: exit code 124. */
  timeout?: number | undefined;
  /** Added to the environment; `undefined` takes a variable out of it. */
  env?: Record<string, string | undefined> | undefined;
  /** Default: the work folder. */
  cwd?: string | undefined;
  /** Called as output comes. */
  onStdout?: ((text: string) => void) | undefined;
  /** Called as output comes. */
  onStderr?: ((text: string) => void) | undefined;
  /** Of each output; at most 64 MiB, and infinity is the default: 1 MiB. */
  maxRetainedBytes?: number | undefined;
  /** `'ignore'`: it reads nothing. */
  stdinMode?: 'pipe' | 'ignore' | undefined;
}

/** What `ProcessHandle` of the framework does for each process. */
export interface MastraHandleBase {
  /** Retained so far. */
  readonly stdout: string;
  /** Retained so far. */
  readonly stderr: string;
  /** Takes output. */
  emitStdout(text: string): void;
  /** Takes output. */
  emitStderr(text: string): void;
}

/** A process of the sandbox. */
export interface MastraProcess extends MastraHandleBase {
  /** Its number in this sandbox. */
  readonly pid: string;
  /** `undefined` while it lives. */
  readonly exitCode: number | undefined;
  /** Ends it and all that it has started; false when it is dead. */
  kill(): Promise<boolean>;
  /** Rejects when it is dead or reads nothing. */
  sendStdin(text: string): Promise<void>;
  /** The end of file. */
  closeStdin(): Promise<void>;
  /** Its end. */
  wait(): Promise<MastraCommandResult>;
}

/** What is needed of the framework: hand in `import * as framework from '@mastra/core/workspace'`. */
export interface MastraFramework<Base extends object> {
  /** The sandbox is one. */
  MastraSandbox: abstract new (
    options: never,
  ) => Base;
  /** `sandbox.processes` is one. */
  SandboxProcessManager: abstract new (
    options?: never,
  ) => object;
  /** Processes are. */
  ProcessHandle: abstract new (
    options?: never,
  ) => object;
}

/** Where ports of the sandbox are. */
export interface MastraNetworking {
  /** A port of this machine that leads there; `null` unless the sandbox runs. */
  getPortUrl(port: number): Promise<string | null>;
}

/** What is ours of the sandbox; the rest is the framework's. */
export interface MastraSandboxParts {
  /** Of this sandbox alone. */
  readonly id: string;
  /** `'SbxSandbox'`. */
  readonly name: string;
  /** `'sbx'`. */
  readonly provider: string;
  /** For all that the framework has no word for. `null` unless it runs. */
  readonly sandbox: Sandbox | null;
  /** With `network: 'loopback'`. */
  readonly networking?: MastraNetworking | undefined;
  /** For the agent's instructions. */
  getInstructions(): string;
}
