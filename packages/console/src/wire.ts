/**
 * Messages of `/console/ws`, as JSON text; docs/protocols/console.md. Imports nothing.
 *
 * @packageDocumentation
 */

/** Path of the WebSocket. */
export const CONSOLE_PATH = '/console/ws';
/** Subprotocol that a client may offer, and that is then chosen; browsers need one when they send a token. */
export const SUBPROTOCOL = 'sbx.console.v1';
/**
 * With the token's UTF-8 in base64url behind it: a subprotocol that stands for the header `Authorization`.
 */
export const TOKEN_SUBPROTOCOL_PREFIX = 'sbx.bearer.';
/**
 * Close code of a missing or wrong token, for clients that offer the subprotocol: a browser cannot see a 401.
 */
export const CLOSE_UNAUTHORIZED = 4401;
/** Time between two messages `figures`, in ms. */
export const FIGURES_INTERVAL_MS = 1000;
/** Shortest time between two samples of a run, in ms: 20 Hz. */
export const SAMPLE_INTERVAL_MS_MIN = 50;
/** Longest, in ms. */
export const SAMPLE_INTERVAL_MS_MAX = 10_000;
/** Most characters of the id of a run. */
export const RUN_ID_LENGTH_MAX = 256;
/** Most bytes of a client's message. */
export const MESSAGE_BYTES_MAX = 4096;
/** Path of the files of runs, with the id of a run and a path in its work folder behind it. */
export const FILES_PATH = '/console/files/';
/**
 * How ids of runs begin whose files may be reached; at least `FILES_ID_LENGTH_MIN` characters in all, the
 * others chosen at random: who knows the id may read and write.
 */
export const FILES_ID_PREFIX = 'sbx.files.';
/** Fewest characters of such an id. */
export const FILES_ID_LENGTH_MIN = 42;
/** Most bytes of a file that goes in or comes out. */
export const FILE_BYTES_MAX = 64 * 2 ** 20;
/** Most entries of a folder that are listed. */
export const FOLDER_ENTRIES_MAX = 1000;
/** Upper bounds of the latency histogram, in ms; the last count is of what took longer. */
export const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000,
] as const;

/** A guarantee of the engine, as `sbx doctor` says it. */
export interface Guarantee {
  /** As of `FEATURES`. */
  name: string;
  /** Whether it holds here. */
  available: boolean;
  /** Required by an engine that is not told otherwise. */
  required: boolean;
  /** By what, where it holds. */
  mechanism: string | null;
  /** Why not, where it does not hold. */
  reason: string | null;
  /** Why it matters. */
  why: string;
  /** How to get it; `null` where nothing is to be done, or `sbx doctor` says more. */
  fix: string | null;
}

/** A program of a language as go-judge's clients ask for it. */
export interface Step {
  /** Program and arguments. */
  args: string[];
  /** The whole environment. */
  env: Record<string, string>;
}

/** A language, and how to run it. */
export interface ConsoleLanguage {
  /** As of `@sbx/languages`. */
  name: string;
  /** For people. */
  title: string;
  /** `null`: unknown. */
  version: string | null;
  /** Fathom runs it; else only go-judge's interface does. */
  fathom: boolean;
  /** Name of the source in the work folder. */
  source: string;
  /** `null`: runs as it is. `output`: files that reach the run. */
  compile: (Step & { output: string[] }) | null;
  /** The run. */
  run: Step;
}

/** The first message of a connection. */
export interface HelloMessage {
  /** Which message. */
  type: 'hello';
  /** Of these messages. */
  v: 1;
  /** Of `@sbx/core`. */
  version: string;
  /** Release of the kernel. */
  kernel: string;
  /** `v1`, `v2`, `hybrid` or `none`. */
  cgroup: string;
  /** `root` or `rootless`. */
  user: string;
  /** What the server speaks. */
  protocols: string[];
  /** Those that are installed. With a cluster none until a worker was asked; then `hello` comes again. */
  languages: ConsoleLanguage[];
  /** Each guarantee. */
  guarantees: Guarantee[];
  /** Bounds of the engine. */
  bounds: { parallelism: number; maxSandboxes: number; queueLength: number };
}

/** Counters of a protocol since the server opened. */
export interface ProtocolFigures {
  /** Requests under way. */
  active: number;
  /** Requests in its queue. */
  waiting: number;
  /** Runs that have ended, by their status in the words of the protocol. */
  endedByStatus: Record<string, number>;
  /**
   * Runs that have ended, by the time from request to end: one count for each of `LATENCY_BOUNDS_MS`, and one
   * beyond.
   */
  latencyCounts: number[];
}

/** Counters, once a second. */
export interface FiguresMessage {
  /** Which message. */
  type: 'figures';
  /** Milliseconds since the server opened. */
  atMs: number;
  /**
   * Of the engine: sandboxes that stand ready and in use, one-shot runs that run and wait, totals since it
   * opened.
   */
  engine: {
    ready: number;
    sandboxes: number;
    running: number;
    waiting: number;
    startedTotal: number;
    finishedTotal: number;
    refusedTotal: number;
    helperRestartsTotal: number;
  };
  /** Of all sandboxes together; `null` where nothing counts it. */
  usage: { cpuTimeMs: number | null; memoryBytes: number | null };
  /** By name. */
  protocols: Record<string, ProtocolFigures>;
}

/** A machine of a cluster. All texts are its own words. */
export interface WorkerFigures {
  /** Unique among them. */
  name: string;
  /** As the machine calls itself. */
  host: string;
  /** Places for jobs. */
  slots: number;
  /** Places that are taken. */
  running: number;
  /** It takes no more. */
  isDraining: boolean;
  /** Names of the languages that it announces. */
  languages: string[];
  /** Words of its operator. */
  labels: Record<string, string>;
  /** Of `@sbx/core` there. */
  version: string;
  /** Guarantees that do not hold there. */
  missing: { name: string; required: boolean; reason: string | null }[];
}

/**
 * Workers of a cluster, where programs run on one: after `hello`, and when something of it has changed, at
 * most once a second.
 */
export interface ClusterMessage {
  /** Which message. */
  type: 'cluster';
  /** By machine and name, up to 256 of them. */
  workers: WorkerFigures[];
  /** All that there are. */
  workerCount: number;
  /** At the broker, of all submitters; `null`: not known, or the broker does not answer. */
  queue: { waiting: number; running: number; oldestMs: number | null } | null;
  /** What holds on every worker. */
  guarantees: Guarantee[];
}

/** A sample of a watched run. */
export interface RunMessage {
  /** Which message. */
  type: 'run';
  /** Of the run. */
  id: string;
  /** Since its start, in ms. */
  wallTimeMs: number;
  /** User and system time of all processes; `null` where nothing counts it. */
  cpuTimeMs: number | null;
  /** Held now, file cache left out; `null` where nothing counts it. */
  memoryBytes: number | null;
}

/** The end of a watched run; the watch is over. */
export interface RunEndMessage {
  /** Which message. */
  type: 'run-end';
  /** Of the run. */
  id: string;
  /** In the words of its protocol. */
  status: string;
}

/** A message of the client was refused; the connection stays. */
export interface RefusalMessage {
  /** Which message. */
  type: 'refused';
  /** Field, rule and fix. */
  message: string;
}

/** From the server. */
export type ServerMessage =
  | HelloMessage
  | FiguresMessage
  | ClusterMessage
  | RunMessage
  | RunEndMessage
  | RefusalMessage;

/** Asks for samples of a run, which may be yet to come. */
export interface WatchMessage {
  /** Which message. */
  type: 'watch';
  /** As its client gave it to the protocol: Fathom's `id`, go-judge's `requestId`. */
  id: string;
  /** Time between samples. Default: `SAMPLE_INTERVAL_MS_MIN`. */
  intervalMs?: number | undefined;
}

/** Ends a watch. */
export interface UnwatchMessage {
  /** Which message. */
  type: 'unwatch';
  /** Of the run. */
  id: string;
}

/** From the client. */
export type ClientMessage = WatchMessage | UnwatchMessage;

/** An entry of a folder; links are not followed. */
export interface FolderItem {
  /** Without its folder. Whatever a program chose: not for markup, nor for people, as it is. */
  name: string;
  /** `'other'`: a socket, a pipe, a device. */
  kind: 'file' | 'dir' | 'symlink' | 'other';
  /** `null`: it is gone, or its name is no UTF-8, so that nothing can be done with it. */
  sizeBytes: number | null;
}

/** The answer to a GET of a folder. */
export interface FolderListing {
  /** The first `FOLDER_ENTRIES_MAX`, by name. */
  entries: FolderItem[];
  /** Further ones, which are not listed. */
  moreCount: number;
}
