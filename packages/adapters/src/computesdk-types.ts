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
}

/** What `create` is asked for. Others of ComputeSDK's options choose among the clouds' machines: refused. */
export interface CreateOptions {
  /**
   * How long it lives, in ms, up to 24 days; 0: until it is destroyed. Default: `lifetimeMs` of the
   * provider's options, else 0.
   */
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

/** A sandbox and its id. */
export interface ComputeHandle {
  /** As `getInstance()` gives it. */
  sandbox: ComputeSandbox;
  /** As `getById` takes it. */
  sandboxId: string;
}

/** An entry of a folder. */
export interface ComputeFileEntry {
  /** Without its folder. */
  name: string;
  /** What is no folder is a file. */
  type: 'file' | 'directory';
  /** In bytes. */
  size: number;
  /** Time of the last change. */
  modified: Date;
}

/** What the framework's `defineProvider` is given. */
export interface ComputeProviderConfig {
  /** `'sbx'`. */
  name: string;
  /** What sandboxes can do. */
  methods: {
    /** Of each sandbox. */
    sandbox: {
      /** Makes one. */
      create(config: undefined, options?: CreateOptions): Promise<ComputeHandle>;
      /** `null` for one that is not there. */
      getById(config: undefined, id: string): Promise<ComputeHandle | null>;
      /** All that live. */
      list(config: undefined): Promise<ComputeHandle[]>;
      /** One that is not there is fine. */
      destroy(config: undefined, id: string): Promise<void>;
      /** To its end, or in the background. */
      runCommand(sandbox: ComputeSandbox, line: string, options?: ComputeRunOptions): Promise<CommandResult>;
      /** As `runCommand`, with call-backs. */
      streamCommand(
        sandbox: ComputeSandbox,
        line: string,
        options: ComputeRunOptions,
      ): Promise<CommandResult>;
      /** Its id, state and age. */
      getInfo(sandbox: ComputeSandbox): Promise<{
        id: string;
        provider: string;
        status: 'running' | 'stopped' | 'error';
        createdAt: Date;
        timeout: number;
        metadata: Record<string, unknown>;
      }>;
      /**
       * A port of this machine that leads there. Throws where the options of the provider have no
       * `network: 'loopback'`.
       */
      getUrl(sandbox: ComputeSandbox, options: { port: number }): Promise<string>;
      /** Files. */
      filesystem: {
        /** Up to 64 MiB, as UTF-8. */
        readFile(sandbox: ComputeSandbox, path: string): Promise<string>;
        /** Creates or replaces a file. */
        writeFile(sandbox: ComputeSandbox, path: string, content: string): Promise<void>;
        /** With the folders that lead to it. */
        mkdir(sandbox: ComputeSandbox, path: string): Promise<void>;
        /** What is no folder is a file. */
        readdir(sandbox: ComputeSandbox, path: string): Promise<ComputeFileEntry[]>;
        /** A link counts itself. */
        exists(sandbox: ComputeSandbox, path: string): Promise<boolean>;
        /** With all below it. */
        remove(sandbox: ComputeSandbox, path: string): Promise<void>;
      };
    };
  };
}
