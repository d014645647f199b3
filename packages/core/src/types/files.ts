/** Files that go into a sandbox, come out of it, or are looked at in it. */

/** Bytes for a file or for stdin. Exactly one key. */
export type Content =
  | { text: string }
  | { bytes: Uint8Array }
  /** A file of the host, read by the engine with its own rights. */
  | { hostFile: string }
  /** An open descriptor of the host, read from its start; it stays open. */
  | { fd: number };

/**
 * A file for the sandbox; `mode` in octal, default 0o644 (0o755 when `executable`). Files of the host are
 * copied by the kernel. Folders that lead to it are made as a program would, with 0o777 less the engine's
 * `umask`. `symlink` makes a link that says this, after all files and without making folders.
 */
export type FileInput =
  | (Content & { mode?: number | undefined; executable?: boolean | undefined })
  | { symlink: string };

/** A file wanted back after the end. A string is a path that must exist. */
export type CopyOut =
  | string
  | {
      path: string;
      /**
       * No error when it was not made; with `'any'` none whatever the reason for which it cannot be opened.
       */
      optional?: boolean | 'any' | undefined;
      /** Default `copyOutMaxBytes`. */
      maxBytes?: number | undefined;
      /** Of a larger file, take the first `maxBytes` bytes; `too-large` is among the errors all the same. */
      truncate?: boolean | undefined;
      /** `'fd'`: an open descriptor instead of bytes, see `OutputFile.fd`. Default `'bytes'`. */
      as?: 'bytes' | 'fd' | undefined;
    };

/** Why a file could not be taken out. */
export interface FileError {
  /** As it was asked for in `copyOut`. */
  path: string;
  /**
   * Stable: missing, not a regular file, larger than allowed, not in what the sandbox can write to, not
   * readable.
   */
  code: 'not-found' | 'not-regular' | 'too-large' | 'outside' | 'denied' | 'io';
  /** One sentence for a person. */
  message: string;
  /** Of the system call that failed, if one did. */
  errno?: number | undefined;
  /** Its size, when it is too large. */
  sizeBytes?: number | undefined;
}

/**
 * A tar archive: its bytes, a file or an open descriptor of the host, or a stream, such as
 * `sandbox.snapshot()` or `fs.createReadStream`.
 */
export type WorkspaceSource = Uint8Array | AsyncIterable<Uint8Array> | Exclude<Content, { text: string }>;

/** Settings of `sandbox.snapshot()`. */
export interface SnapshotOptions {
  /** Bytes of all files together; more is an `SBX_FILE_TOO_LARGE`. Default 512 MiB. */
  maxBytes?: number | undefined;
  /** Files, folders and links; more is an `SBX_FILE_TOO_LARGE`. Default 65 536. */
  maxFileCount?: number | undefined;
  /** Abort ends the stream with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** Settings of `sandbox.watch()`. */
export interface WatchOptions {
  /** Also what is in folders below. Default false. */
  recursive?: boolean | undefined;
  /**
   * Between two looks at the least, in ms, 10 to 60 000. Default 100. They are further apart where a look
   * takes long.
   */
  intervalMs?: number | undefined;
  /** Entries that are looked at, 1 to 65 536. More are an `overflow`. Default 4096. */
  maxEntryCount?: number | undefined;
  /** Abort ends the iteration with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** A difference between two looks at a folder. */
export interface WatchEvent {
  /**
   * `'change'`: content, permissions or links. `'overflow'`: there is more than `maxEntryCount`, or a name
   * that cannot be looked at; what happens to entries that were left out is not told until all fit again.
   */
  kind: 'create' | 'change' | 'remove' | 'overflow';
  /** As for `readFile`: below the path that is watched. Of `'overflow'` that path itself. */
  path: string;
}

/** A file that was taken out. In JSON it has its sizes and not its bytes, as `Output` has. */
export interface OutputFile {
  /** As it was asked for in `copyOut`. */
  path: string;
  /** Empty with `as: 'fd'`. */
  bytes: Uint8Array;
  /** Permission bits. */
  mode: number;
  /** Of the file; more than `bytes` when that was cut. */
  sizeBytes: number;
  /**
   * With `as: 'fd'`: the file, open for reading at its start; yours to close. It keeps the whole file system
   * of its sandbox in memory, so copy what is to be kept. Else `null`.
   */
  fd: number | null;
  /** UTF-8, invalid sequences replaced. */
  text(): string;
}

/** As `stat`, of a file in the sandbox. */
export interface FileStat {
  /** `'other'`: a socket, a pipe, a device. */
  kind: 'file' | 'dir' | 'symlink' | 'other';
  /** Of the content; of a link, of what it says. */
  sizeBytes: number;
  /** Permission bits. */
  mode: number;
  /** Time of the last change, in ms since 1970. */
  modifiedMs: number;
}
