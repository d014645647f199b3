/** The part of `@openai/agents-core`'s contract that the adapter stands on and fills in, by shape. */
import type { Sandbox } from '@sbx/core';

/** What is read of an `Entry`; which types there are is in the README. */
export interface OpenAIAgentsEntry {
  /** `'file'`, `'dir'`, `'local_file'` or `'local_dir'`; others are refused. */
  type: string;
  /** Of a file. */
  content?: string | Uint8Array;
  /** Of a folder. */
  children?: Record<string, OpenAIAgentsEntry>;
  /** A file or folder of the host. */
  src?: string;
  /** Default: all for the owner, reading and executing for others. */
  permissions?: unknown;
  /** Refused: there is one user. */
  group?: unknown;
}

/** What is read of a `Manifest`. */
export interface OpenAIAgentsManifest {
  /** The work folder. */
  readonly root: string;
  /** What is in it at the start. */
  readonly entries: Record<string, { type: string }>;
  /** Must be empty. */
  readonly users: readonly unknown[];
  /** Must be empty. */
  readonly groups: readonly unknown[];
  /**
   * Folders of the host that `local_file` and `local_dir` may read, besides the current one; commands see
   * them only where the engine mounts them. Refused: a `hostPath` of another name, a folder that commands do
   * not see unless it is `readOnly` or an entry comes from it, `readOnly` where commands can write.
   */
  readonly extraPathGrants: readonly { path: string; hostPath?: string; readOnly?: boolean }[];
  /** Variables of all commands, as they are declared. */
  readonly environment: object;
  /** What an archive of the work folder leaves out. */
  ephemeralPersistencePaths(): Set<string>;
  /** Variables of all commands. */
  resolveEnvironment(): Promise<Record<string, string>>;
}

/** An error class of the framework. */
export type OpenAIAgentsErrorClass = new (message: string, details?: Record<string, unknown>) => Error;

/**
 * What is needed of the framework: hand in `{ ...agents, ...sandbox }` of `@openai/agents-core` and
 * `@openai/agents-core/sandbox`.
 */
export interface OpenAIAgentsFramework<Manifest extends OpenAIAgentsManifest> {
  /** Descriptions of work folders are one. */
  Manifest: new () => Manifest;
  /** A copy, of an instance or what one is made from. */
  cloneManifest(manifest: never): Manifest;
  /** Makes the next text of a file. */
  applyDiff(input: string, diff: string, mode?: 'default' | 'create'): string;
  /** Modes of entries. */
  permissionsForSandboxEntry(permissions?: never): {
    /** As `chmod` takes it. */
    toMode(): number;
  };
  /** Thrown for what the agent can do better. */
  UserError: new (
    message: string,
  ) => Error;
  /** Thrown for what we have not. */
  SandboxUnsupportedFeatureError: OpenAIAgentsErrorClass;
  /** Thrown for an archive that is too large or none. */
  SandboxArchiveError: OpenAIAgentsErrorClass;
  /** Thrown after the end. */
  SandboxLifecycleError: OpenAIAgentsErrorClass;
}

/** Bounds of `hydrateWorkspace`; `null`: none but those of the sandbox. */
export interface OpenAIAgentsArchiveLimits {
  /** Bytes of the archive. */
  maxInputBytes?: number | null;
  /** Bytes of its files. */
  maxExtractedBytes?: number | null;
  /** Files, folders and links. */
  maxMembers?: number | null;
}

/** A command. */
export interface OpenAIAgentsExecArgs {
  /** A line of shell. */
  cmd: string;
  /** Default: the work folder. */
  workdir?: string;
  /** Default `'/bin/sh'`. */
  shell?: string;
  /** The shell reads its profile. Default `false`: there is none. */
  login?: boolean;
  /** It gets a terminal. Default `false`. */
  tty?: boolean;
  /** Time until the call returns while the command goes on, in ms. Default 10,000. */
  yieldTimeMs?: number;
  /** Of the output that is returned; four bytes are one. */
  maxOutputTokens?: number;
  /** Refused. */
  runAs?: string;
}

/** What a command has written, and how it ended. */
export interface OpenAIAgentsExecResult {
  /** Both outputs as they came. */
  output: string;
  /** The last MiB of it. */
  stdout: string;
  /** The last MiB of it; a last line says which limit ended the command. */
  stderr: string;
  /** Real time of this call, in s. */
  wallTimeSeconds: number;
  /** When it has ended; 124 for a time limit, 137 for memory. */
  exitCode?: number;
  /** While it runs: for `writeStdin`. */
  sessionId?: number;
  /** When the output was cut for `maxOutputTokens`. */
  originalTokenCount?: number;
}

/** An edit of the model. */
export interface OpenAIAgentsEditor {
  /** Makes a file that is not there yet. */
  createFile(operation: { path: string; diff: string }): Promise<{ status?: 'completed' | 'failed' }>;
  /** Changes a file, and moves it. */
  updateFile(operation: {
    path: string;
    diff: string;
    moveTo?: string | undefined;
  }): Promise<{ status?: 'completed' | 'failed' }>;
  /** Removes a file. */
  deleteFile(operation: { path: string }): Promise<{ status?: 'completed' | 'failed' }>;
}

/** What the framework keeps of a session. */
export interface OpenAIAgentsState<Manifest> {
  /** What the work folder started from, and what was added. */
  manifest: Manifest;
  /** Variables of all commands. */
  environment: Record<string, string>;
  /** False after the end. */
  workspaceReady: boolean;
  [key: string]: unknown;
}

/** A session: one sandbox. */
export interface OpenAIAgentsSession<Manifest extends OpenAIAgentsManifest> extends AsyncDisposable {
  /** The framework's. */
  readonly state: OpenAIAgentsState<Manifest>;
  /** For all that the framework has no word for. Another one after `hydrateWorkspace`. */
  readonly sandbox: Sandbox;
  /** Until `close()`. */
  running(): Promise<boolean>;
  /** Starts a command; returns at its end or after `yieldTimeMs`. */
  exec(args: OpenAIAgentsExecArgs): Promise<OpenAIAgentsExecResult>;
  /** The same as text for a model. */
  execCommand(args: OpenAIAgentsExecArgs): Promise<string>;
  /** Writes to a command that runs, and returns what is new; without `chars` it only looks. */
  writeStdin(args: {
    sessionId: number;
    chars?: string;
    yieldTimeMs?: number;
    maxOutputTokens?: number;
  }): Promise<string>;
  /** Always: `tty` is a terminal. */
  supportsPty(): boolean;
  /** A port of this machine that leads there. Throws where the client has no `network: 'loopback'`. */
  resolveExposedPort(port: number): Promise<{ host: string; port: number; tls: boolean }>;
  /** A file, up to 64 MiB; its first bytes with `maxBytes`. */
  readFile(args: { path: string; runAs?: string; maxBytes?: number }): Promise<Uint8Array>;
  /** What is in a folder. */
  listDir(args: {
    path: string;
    runAs?: string;
  }): Promise<{ name: string; path: string; type: 'file' | 'dir' | 'other' }[]>;
  /** Whether it is there. */
  pathExists(path: string, runAs?: string): Promise<boolean>;
  /** Whether it is a folder. */
  directoryExists(path: string, runAs?: string): Promise<boolean>;
  /** A picture of up to 10 MiB. */
  viewImage(args: {
    path: string;
    runAs?: string;
  }): Promise<{ type: 'image'; image: { data: Uint8Array<ArrayBuffer>; mediaType: string } }>;
  /** For the framework's `apply_patch`. */
  createEditor(runAs?: string): OpenAIAgentsEditor;
  /** Puts one entry of a manifest in place. */
  materializeEntry(args: { path: string; entry: { type: string }; runAs?: string }): Promise<void>;
  /** Puts the entries and variables of a manifest in place. */
  applyManifest(manifest: Manifest, runAs?: string): Promise<void>;
  /** The work folder as a tar archive. */
  persistWorkspace(): Promise<Uint8Array>;
  /** Replaces the work folder by such an archive; what runs is ended. */
  hydrateWorkspace(
    data: string | ArrayBuffer | Uint8Array,
    options?: { archiveLimits?: OpenAIAgentsArchiveLimits | null },
  ): Promise<void>;
  /** For all `hydrateWorkspace` to come. */
  setArchiveLimits(limits?: OpenAIAgentsArchiveLimits | null): void;
  /** Ends what runs; files stay. */
  stop(): Promise<void>;
  /** As `close`. */
  shutdown(): Promise<void>;
  /** As `close`. */
  delete(): Promise<void>;
  /** Kills what runs and removes every trace. Safe to call twice. */
  close(): Promise<void>;
}

/** How many files of a manifest are written at once. */
export interface OpenAIAgentsConcurrencyLimits {
  /** `file` and `local_file`. Default 4. */
  manifestEntries?: number;
  /** Of one `local_dir`. Default 4. */
  localDirFiles?: number;
}

/** What `create` takes; the framework's runner calls it. */
export interface OpenAIAgentsCreateArgs {
  /** What the work folder starts from. */
  manifest?: object;
  /** Refused, except for `'noop'`. */
  snapshot?: { type: string };
  /** Also for what is put in place later. */
  concurrencyLimits?: OpenAIAgentsConcurrencyLimits;
  /** Bounds of `hydrateWorkspace`. */
  archiveLimits?: OpenAIAgentsArchiveLimits | null;
  /** `snapshot`, `concurrencyLimits` and `archiveLimits`, unless they are beside it; others are refused. */
  options?: Record<string, unknown>;
}

/** A client: makes sessions. */
export interface OpenAIAgentsClient<Manifest extends OpenAIAgentsManifest> extends AsyncDisposable {
  /** `'sbx'`. */
  readonly backendId: string;
  /** A session lives in this process only. */
  readonly serializedSessionStateRequiresFreshCreation: true;
  /** Makes a session; close it at the end. */
  create(
    args?: OpenAIAgentsCreateArgs | Manifest,
    options?: Record<string, unknown>,
  ): Promise<OpenAIAgentsSession<Manifest>>;
  /** Nothing: see `serializedSessionStateRequiresFreshCreation`. */
  serializeSessionState(state: OpenAIAgentsState<Manifest>): Promise<Record<string, unknown>>;
  /** Closes all sessions. */
  close(): Promise<void>;
}
