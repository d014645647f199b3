/** What callers ask for, in units people think in. */
import type { PipeMap, WireCmd, WireCopyIn, WireFile } from './wire/index.js';

/**
 * Limits in ms and bytes; `Infinity` is the highest that fits the wire. What is left out has the default
 * below: on the wire 0 would be no time and no memory at all.
 */
export interface RunLimits {
  /** CPU time. Default 1000. */
  cpuTimeMs?: number | undefined;
  /** Wall time. Default three times the CPU time. */
  wallTimeMs?: number | undefined;
  /** Default 256 MiB. */
  memoryBytes?: number | undefined;
  /** Default: the server's. */
  stackBytes?: number | undefined;
  /** Processes and threads. Default 64. */
  processCount?: number | undefined;
  /** 1 is one CPU. Default: unlimited. Only where the server has it switched on. */
  cpuRate?: number | undefined;
  /** CPUs to run on, as `'0-2,5'`. Default: the server's. */
  cpuSet?: string | undefined;
}

/** One program. What is not named here goes by `wire`. */
export interface RunCommand {
  /** Program and arguments. */
  args: readonly string[];
  /** The whole environment. Default: PATH alone. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Standard input; a string is the text itself. Default: empty. */
  stdin?: WireFile | string | undefined;
  /**
   * Bytes kept of stdout and of stderr. Default 1 MiB each; they come back as `files.stdout` and
   * `files.stderr`.
   */
  outputBytes?: number | undefined;
  /** Descriptors instead of the three above; entry i is descriptor i. */
  files?: readonly WireFile[] | undefined;
  /** Default: those of `RunLimits`. */
  limits?: RunLimits | undefined;
  /** Files by their path in the work folder; a string is the text itself. */
  copyIn?: Readonly<Record<string, WireCopyIn | string>> | undefined;
  /** Files to come back as text. A trailing `?` makes an entry optional. */
  copyOut?: readonly string[] | undefined;
  /** Files to keep on the server; see `RunOutcome.stored`. A trailing `?` makes an entry optional. */
  copyOutCached?: readonly string[] | undefined;
  /** Bytes of each copied file. Default: the server's. */
  copyOutBytes?: number | undefined;
  /** Keeps the beginning of a file that is larger, still as a File Error. Default: nothing of it. */
  copyOutTruncate?: boolean | undefined;
  /** One terminal for all streams and collectors. Default: none. */
  tty?: boolean | undefined;
  /** Fields as on the wire, over all others. */
  wire?: Partial<WireCmd> | undefined;
}

/** Programs that run together, and the pipes between them. */
export interface RunGroup {
  /** Programs that run at the same time. */
  commands: readonly RunCommand[];
  /**
   * `in` writes, `out` reads. In the place of what a command has there by default; in `files` it must be
   * `null`.
   */
  pipes?: readonly PipeMap[] | undefined;
}
