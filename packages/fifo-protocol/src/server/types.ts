/** What the manager is handed, and what it may be told. */

/** How a program ended; `RunResult` of `@sbx/core` is one. */
export interface ProgramEnd {
  /** `'ok'`, `'exit'`, `'signal'`, `'killed'`, a limit: see `STATUSES` of `@sbx/core`. */
  status: string;
  /**
   * What shows it: line 3 names no cause when this ends with `/signal`. Absent: no cause for a signal that a
   * program can raise itself.
   */
  evidence?: string | undefined;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /** Name of the signal that ended it, `null` when it exited. */
  exitSignal: string | null;
  /** CPU time of the whole tree, in ms. */
  usage: { cpuTimeMs: number };
}

/** A running program; `Process` of `@sbx/core` is one. */
export interface ManagedProgram {
  /**
   * CPU time of the whole tree so far, and memory held now (`null`: not measured). Must not disturb the
   * program.
   */
  usage(): { cpuTimeMs: number; memoryBytes: number | null };
  /** Kills the whole tree. */
  kill(signal?: 'SIGKILL'): void;
  /** How it ended; rejects when that cannot be told. */
  readonly result: Promise<ProgramEnd>;
  /** Needed where stdin and stdout are offered as pipes. */
  readonly stdin?: ProgramInput | null | undefined;
  /** As `stdin`. */
  readonly stdout?: ProgramOutput | null | undefined;
}

/** The writing end of a program's stdin. Promises settle when the program has room. */
export interface ProgramInput {
  /** Resolves when it was taken; rejects when the program reads no more. */
  write(chunk: Uint8Array): Promise<void>;
  /** End of file. */
  end(): Promise<void>;
}

/** The reading end of a program's stdout. */
export interface ProgramOutput extends AsyncIterable<Uint8Array> {
  /** Closes it: the program gets EPIPE when it writes on. */
  destroy?(): void;
}

/**
 * Starts the program. Whatever it throws is no error of the protocol: requests are answered with
 * `process not started` and the message.
 */
export type ProgramStart = (context: StartContext) => ManagedProgram | Promise<ManagedProgram>;

/** What a start is told. */
export interface StartContext {
  /** Aborts when the last call comes before the program has started. */
  signal: AbortSignal;
  /** Registers what is to be done when all is over, before `finished` resolves. */
  atEnd(cleanUp: () => Promise<void>): void;
}

/** Settings of a manager; all have defaults. */
export interface FifoOptions {
  /**
   * The directory for the pipes: made here, or an empty one of ours that is taken over; removed at the end.
   * Default: a fresh one under the system's folder for temporary files.
   */
  dir?: string | undefined;
  /**
   * Group id that may use the pipes too. Default `null`: their owner alone (and root). Whoever may use them
   * may end the program.
   */
  group?: number | null | undefined;
  /**
   * `'two-pipe'` (default) is the protocol; `'legacy'` the seven pipes of 2018 with reversed digits, for old
   * clients.
   */
  layout?: 'two-pipe' | 'legacy' | undefined;
  /**
   * Offer the program's stdin and stdout as pipes `downward` and `upward`. Default: as the layout has it,
   * `false` for two pipes, always for `'legacy'`.
   */
  pipes?: boolean | undefined;
  /** After the last call, time for the program to leave by itself, in ms. Default 50. */
  graceMs?: number | undefined;
  /**
   * A reply that nobody has fetched for so long is dropped, in ms. Default `null`: a reply that is owed never
   * expires.
   */
  giveUpMs?: number | null | undefined;
  /**
   * Called for each request and each reply, for records. An error that it throws is ignored: clients are
   * answered in any case.
   */
  onEvent?: ((event: FifoEvent) => void) | undefined;
}

/** What happened on the pipes. */
export type FifoEvent =
  /** A client has written a byte to `wait`. `byte` is what it wrote, when it was neither digit. */
  | { kind: 'request'; request: 'go-on' | 'last-call' | 'stray'; byte?: number }
  /** A client reads `status`, and this is what it gets. */
  | { kind: 'reply'; reading: import('../reply.js').FifoReading };

/** How it ended. */
export interface FifoEnd {
  /** As in the last reply. */
  reading: import('../reply.js').FifoReading;
  /** `'last-call'`: a client asked for the end; `'closed'`: `close()` did. */
  reason: 'last-call' | 'closed';
  /** Somebody read the last reply. */
  delivered: boolean;
}
