/** The part of `@tanstack/ai-sandbox`'s contract that the adapter fills in, by shape. */
import type { Sandbox } from '@sbx/core';

/** What an sbx sandbox can do. */
export interface TanstackCapabilities {
  /** Files. */
  fs: true;
  /** Commands. */
  exec: true;
  /** Variables for all commands from now on. */
  env: true;
  /** With `network: 'loopback'`. */
  ports: boolean;
  /** Living processes. */
  backgroundProcesses: true;
  /** They can be written to. */
  writableStdin: true;
  /** They can be killed. */
  killableProcesses: true;
  /** Nothing is stored: `fork` copies a workspace. */
  snapshots: false;
  /** There is no network to have one for. */
  networkPolicy: false;
  /** A workspace ends with its sandbox. */
  durableFilesystem: false;
  /** Another sandbox with a copy of the workspace. */
  fork: true;
}

/** What is said beside a command. */
export interface TanstackCommandOptions {
  /** Default: the workspace. */
  cwd?: string | undefined;
  /** Added to the environment. */
  env?: Record<string, string> | undefined;
  /** Kills it; the call, or `wait()`, rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** A living process. */
export interface TanstackSpawnHandle {
  /** Its number among those of this handle: process ids are the sandbox's own. */
  readonly pid: number;
  /** Text as it comes. */
  readonly stdout: AsyncIterable<string>;
  /** Text as it comes. */
  readonly stderr: AsyncIterable<string>;
  /** What it reads. */
  readonly stdin: {
    /** Resolves when the program's pipe has taken it. */
    write(data: string): Promise<void>;
    /** The end of file. */
    end(): Promise<void>;
  };
  /** Its exit code. */
  wait(): Promise<number>;
  /**
   * Ends it and all that it has started, half a second after the signal where one is given; signals such as
   * SIGUSR1 are only sent.
   */
  kill(signal?: NodeJS.Signals | number): Promise<void>;
}

/** Commands of a sandbox. */
export interface TanstackProcess {
  /** To its end. Of each output the first MiB. */
  exec(
    command: string,
    options?: TanstackCommandOptions,
  ): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  /** Returns once it runs. */
  spawn(command: string, options?: TanstackCommandOptions): Promise<TanstackSpawnHandle>;
}

/** Files of a sandbox. `/workspace` is the work folder, whatever its name is inside. */
export interface TanstackFs {
  /** Up to 64 MiB, as UTF-8. */
  read(path: string): Promise<string>;
  /** Up to 64 MiB. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file, and the folders that lead to it. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** What is no folder is a file. */
  list(path: string): Promise<{ name: string; path: string; type: 'file' | 'dir' }[]>;
  /** With the folders that lead to it. */
  mkdir(path: string): Promise<void>;
  /** With all below it; nothing there is fine. */
  remove(path: string): Promise<void>;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** A link counts itself. */
  exists(path: string): Promise<boolean>;
  /** Of the link itself, with the bits of the kind. */
  lstat(
    path: string,
  ): Promise<
    | { type: 'file'; mode: number; size: number }
    | { type: 'dir' | 'symlink' | 'other'; mode: number }
    | undefined
  >;
  /** With all below it. */
  watch(
    path: string,
    onEvent: (event: { type: string; path: string }) => void,
  ): Promise<{
    /** No more events. */
    stop(): Promise<void>;
  }>;
}

/** One sandbox. */
export interface TanstackHandle<Git> {
  /** As `resume` takes it. */
  readonly id: string;
  /** `'sbx'`. */
  readonly provider: string;
  /** Where `/workspace` is inside. */
  readonly workspaceRoot: string;
  /** What it can do. */
  readonly capabilities: TanstackCapabilities;
  /** Files. */
  readonly fs: TanstackFs;
  /** By `git` inside, if there is one. */
  readonly git: Git;
  /** Commands. */
  readonly process: TanstackProcess;
  /** With `network: 'loopback'`; else it throws. */
  readonly ports: {
    /** A port of this machine that leads there. */
    connect(port: number): Promise<{ url: string }>;
  };
  /** Variables for all commands from now on. */
  readonly env: {
    /** Added to those that are set. */
    set(variables: Record<string, string>): Promise<void>;
  };
  /** For all that the framework has no word for. */
  readonly sandbox: Sandbox;
  /** Throws: use `fork`, or `sandbox.snapshot()`. */
  snapshot(label?: string): Promise<never>;
  /** Another sandbox with a copy of the workspace. */
  fork(): Promise<TanstackHandle<Git>>;
  /** Kills what runs and removes every trace. */
  destroy(): Promise<void>;
}

/** What `create` is asked for. Of `workspace` and `policy` the framework does what is not said here. */
export interface TanstackCreateInput {
  /** As `resume` takes it. Default: one of its own. */
  id?: string | undefined;
  /** Added to the environment of all commands. */
  env?: Record<string, string> | undefined;
  /** Ends the call with its reason. */
  signal?: AbortSignal | undefined;
  /** A source `'local'` throws: nothing of the host is copied. */
  workspace?: { source: { type: string } } | undefined;
  /** A network that is allowed throws: there is none. */
  policy?: { capabilities?: { network?: string } } | undefined;
}

/** Makes sandboxes for `defineSandbox({ provider })`. */
export interface TanstackProvider<Git> extends AsyncDisposable {
  /** `'sbx'`. */
  readonly name: string;
  /** What its sandboxes can do. */
  capabilities(): TanstackCapabilities;
  /** Makes one. */
  create(input: TanstackCreateInput): Promise<TanstackHandle<Git>>;
  /** `null` when it is gone. */
  resume(input: { id: string; signal?: AbortSignal | undefined }): Promise<TanstackHandle<Git> | null>;
  /** One that is not there is fine. Goes to its end whatever is aborted. */
  destroy(input: { id: string }): Promise<void>;
  /** Destroys all. Safe to call twice. */
  close(): Promise<void>;
}

/** What is needed of the framework: hand in `import * as framework from '@tanstack/ai-sandbox'`. */
export interface TanstackFramework<Git> {
  /** Thrown for what an sbx sandbox cannot do. */
  UnsupportedCapabilityError: new (
    provider: string,
    capability: string,
    hint?: string,
  ) => Error;
  /** Makes `git` of `process`. */
  createExecBackedGit(process: TanstackProcess, defaultRoot: string): Git;
}
