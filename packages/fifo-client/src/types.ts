/** What the client is told, and what it tells. */
import type { FifoReading } from '@sbx/fifo-protocol';

/** Settings of a client. */
export interface FifoClientOptions {
  /**
   * How long a request may take, in ms, unless it says its own. Default 10 000. `null`: as long as the
   * manager lives.
   */
  requestTimeoutMs?: number | null | undefined;
}

/** Settings of one request. */
export interface RequestOptions {
  /** How long this request may take, in ms. `null`: as long as the manager lives. Default: the client's. */
  requestTimeoutMs?: number | null | undefined;
  /** Abort rejects with `signal.reason`; the manager is not disturbed. */
  signal?: AbortSignal | undefined;
}

/** Settings of `wait`. */
export interface WaitOptions extends RequestOptions {
  /** Ends the program; the last request of all. Default `false`. */
  terminate?: boolean | undefined;
}

/** What a section of the program's run has cost. */
export interface Measurement<T> {
  /** CPU time of the program between the readings before and after, in microseconds. */
  cpuTimeUs: number;
  /** The reading before the section. */
  before: FifoReading;
  /** The reading after it. */
  after: FifoReading;
  /** What the section returned. */
  value: T;
}

/** Memory at a point of the run. */
export interface MemoryCheckpoint {
  /** As it was given. */
  name: string;
  /** Held by the program at that moment, in bytes. */
  memoryBytes: number;
  /** `null` when no bound was asked for. */
  maxMemoryBytes: number | null;
  /** Within the bound, or no bound. A program that has ended holds 0 bytes: look at `reading.status` too. */
  ok: boolean;
  /** The whole reading. */
  reading: FifoReading;
}

/** Settings of `checkpoint`. */
export interface CheckpointOptions extends RequestOptions {
  /** More than this makes `ok` false, in bytes. */
  maxMemoryBytes?: number | undefined;
}
