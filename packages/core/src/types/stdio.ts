/** Descriptors of a program: where it reads and writes. */
import type { Content } from './files.js';

/** What the program reads from a descriptor. */
export type InputSpec =
  | 'empty' // end of file at once (default for stdin)
  | 'null' // /dev/null
  | 'closed' // not open in the program
  | 'pipe' // `Process.stdin`; spawn only
  | SeekableContent
  | { file: string } // a file of the sandbox, after `files` are in; paths as there
  | { inherit: number } // an open descriptor of the host, as it is; the host keeps its own
  | { stream: AsyncIterable<Uint8Array | string> }; // destroyed or cancelled when the program has ended

/**
 * A content as input. With `seekable` the program gets a real file, at its start, that it can seek in and
 * open again through /proc/self/fd, but neither change nor learn the name of: text and bytes in sealed
 * memory; a host file (without copying it, where a read-only view of it can be made, else as a sealed copy);
 * the file behind `fd`, with an offset of its own. Default: a pipe, or what serves best.
 */
export type SeekableContent = Content & { seekable?: boolean | undefined };

/** Where the program writes a descriptor to. */
export type OutputSpec =
  | 'capture' // collected, bounded by outputBytes (default)
  | 'null'
  | 'closed' // not open in the program
  | 'pipe' // `Process.stdout`; spawn only; waits for the reader
  | { capture: CaptureOptions }
  | FileOutput
  | { inherit: number } // an open descriptor of the host, as it is; the host keeps its own
  | { sameAs: number };

// where that other output of the program goes, by the same open file: in order, with one offset

/** A capture with a bound of its own. */
export interface CaptureOptions {
  /** Bytes kept. */
  maxBytes: number;
  /**
   * `'kill'` (default): one more ends the program, `output-limit`. `'discard'`: the rest is read, counted in
   * `totalBytes` and dropped; the program is never stopped for it.
   */
  overflow?: 'kill' | 'discard' | undefined;
}

/** Output into a file of the sandbox (paths as in `files`), made or cut before `files` are copied in. */
export interface FileOutput {
  /** Its path inside, as in `files`. */
  file: string;
  /** In octal. Default 0o644. */
  mode?: number | undefined;
  /**
   * Its content is wanted in `RunResult.outputs` (or `stdout`, `stderr`): the first `maxBytes` bytes, and its
   * true size in `totalBytes`; what the program does to its path makes no difference. A larger one ends
   * nothing. `as: 'fd'`: `Output.fd` instead of bytes.
   */
  collect?: { maxBytes: number; as?: 'bytes' | 'fd' | undefined } | undefined;
}

/** A descriptor of the program. `fd` hands over an open descriptor of the host as it is, as `inherit`. */
export type FdSpec = { input: InputSpec } | { output: OutputSpec } | { fd: number };

/** A terminal for the program instead of three pipes. */
export interface PtyOptions {
  /** Width in characters. Default 80. 0 is legal: the size is not known. */
  cols?: number | undefined;
  /** Height in lines. Default 24. 0 as for `cols`. */
  rows?: number | undefined;
  /** Value of TERM in the environment. Default `'xterm-256color'`. `null`: none is added. */
  term?: string | null | undefined;
  /**
   * Typed into it once, as soon as the program is there. No end of file follows: for that the last byte is
   * 0x04.
   */
  input?: Content | undefined;
  /**
   * Collect the output, in `RunResult.stdout`. Default: with `run` bounded by `outputBytes`; with `spawn` it
   * is the stream `Process.stdout` instead.
   */
  capture?:
    | {
        /** Bytes kept. */
        maxBytes: number;
        /**
         * `'kill'` (default): one more ends the program, `output-limit`. `'hangup'`: one more cuts the line,
         * and the program is told as by a modem: SIGHUP to the session's leader, EIO for who writes, end of
         * file for who reads.
         */
        overflow?: 'kill' | 'hangup';
      }
    | undefined;
}
