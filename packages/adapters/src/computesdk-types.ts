/** The part of `@computesdk/provider`'s contract that the adapter fills in, by shape. */
import type { Sandbox } from '@sbx/core';

/** A sandbox of the provider: what `getInstance()` gives. */
export interface ComputeSandbox {
  /** As `getById` takes it. */
  readonly id: string;
  /** For all that the framework has no word for. */
  readonly sandbox: Sandbox;
  /** When it was made. */
  readonly createdAt: Date;
  /** How long it lives, in ms; 0: until it is destroyed. */
  readonly timeoutMs: number;
  /** As `create` was given them. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** False after its end. */
  readonly isRunning: boolean;
}

/** What `create` is asked for. Others of ComputeSDK's options choose among the clouds' machines and mean nothing here. */
export interface CreateOptions {
  /** How long it lives, in ms. */
  timeout?: number | undefined;
  /** Added to the environment of all commands. */
  envs?: Record<string, string> | undefined;
  /** Comes back in `getInfo`. */
  metadata?: Record<string, unknown> | undefined;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
}

/** What is said beside a command. */
export interface ComputeRunOptions {
  /** Default: the work folder. */
  cwd?: string | undefined;
  /** Added to the environment. */
  env?: Record<string, string> | undefined;
  /** Real time, in ms: exit code 124. */
  timeout?: number | undefined;
  /** Returns once it runs. */
  background?: boolean | undefined;
  /** Called as output comes. */
  onStdout?: ((text: string) => void) | undefined;
  /** Called as output comes. */
  onStderr?: ((text: string) => void) | undefined;
}

/** How a command ended. */
export interface CommandResult {
  /** The first MiB. */
  stdout: string;
  /** The first MiB; last lines say which limit ended the command, and what is cut. */
  stderr: string;
  /** As shells have it: 124 for a time limit, 137 for memory. */
  exitCode: number;
  /** Real time, in ms. */
  durationMs: number;
}

interface Handle {
  sandbox: ComputeSandbox;
  sandboxId: string;
}

interface FileEntry {
  name: string;
  type: 'file' | 'directory';
  size: number;
  modified: Date;
}

/** What the framework's `defineProvider` is given. */
export interface ComputeProviderConfig {
  /** `'sbx'`. */
  name: string;
  /** What sandboxes can do. */
  methods: {
    sandbox: {
      create(config: undefined, options?: CreateOptions): Promise<Handle>;
      getById(config: undefined, id: string): Promise<Handle | null>;
      list(config: undefined): Promise<Handle[]>;
      destroy(config: undefined, id: string): Promise<void>;
      runCommand(sandbox: ComputeSandbox, line: string, options?: ComputeRunOptions): Promise<CommandResult>;
      streamCommand(
        sandbox: ComputeSandbox,
        line: string,
        options: ComputeRunOptions,
      ): Promise<CommandResult>;
      getInfo(sandbox: ComputeSandbox): Promise<{
        id: string;
        provider: string;
        status: 'running' | 'stopped' | 'error';
        createdAt: Date;
        timeout: number;
        metadata: Record<string, unknown>;
      }>;
      getUrl(sandbox: ComputeSandbox, options: { port: number }): Promise<string>;
      filesystem: {
        readFile(sandbox: ComputeSandbox, path: string): Promise<string>;
        writeFile(sandbox: ComputeSandbox, path: string, content: string): Promise<void>;
        mkdir(sandbox: ComputeSandbox, path: string): Promise<void>;
        readdir(sandbox: ComputeSandbox, path: string): Promise<FileEntry[]>;
        exists(sandbox: ComputeSandbox, path: string): Promise<boolean>;
        remove(sandbox: ComputeSandbox, path: string): Promise<void>;
      };
    };
  };
}
