/**
 * What submitters and workers need of a broker. `nats/` does it with JetStream; tests with a broker in memory
 * that drops, delays, reorders and parts. Every call may reject (the broker is gone); a call that rejects may
 * have been carried out all the same.
 */
import type { TraceHeaders } from './tracing/trace-context.js';
import type { Cancel, Notice } from './wire/notice.js';

/** A job as the broker carries it. */
export interface QueuedJob {
  id: string;
  tenant: string;
  /** Workers that may try it. */
  maxAttempts: number;
  /** Name of its submitter, for notices. */
  submitter: string;
  /** After how long without its submitter a worker gives it up, in ms; 0: never. */
  orphanGraceMs: number;
  /** The span that it belongs to; `null`: none. No part of what makes two jobs the same. */
  trace: TraceHeaders | null;
  /** SHA-256 of `body`. */
  bodyHash: string;
  /** For the engines at both ends. */
  body: Uint8Array;
}

/** What became of a job that was put into the queue. */
export interface Published {
  /** To remove it by. */
  sequence: number;
  /** Not `null`: the id was in the queue before; the hash of that job, or `''` where it is there no more. */
  before: string | null;
}

export interface RecordLink {
  /** False when there is one already. */
  createRecord(key: string, record: Uint8Array): Promise<boolean>;
  readRecord(key: string): Promise<Uint8Array | null>;
}

export interface SubmitterLink extends RecordLink {
  /** Resolves when the job cannot be lost any more. Of one id only the first is put into the queue. */
  publish(job: QueuedJob): Promise<Published>;
  /** Takes a job out of the queue, if no worker has it. */
  remove(sequence: number): Promise<void>;
  /** To all workers. */
  cancel(tenant: string, cancel: Cancel): void;
  /** Notices of jobs of this submitter. */
  onNotice(take: (notice: Notice) => void): void;
  /**
   * Calls back with the record of a job as soon as it is stored, whoever writes it, until the returned
   * function is called. It may be lost.
   */
  follow(job: Pick<QueuedJob, 'tenant' | 'id'>, take: (record: Uint8Array) => void): () => void;
  /** The broker denied this user something that jobs of that tenant need. */
  onDenied(call: (tenant: string, error: Error) => void): void;
  /** The connection was lost and is there again: notices and records may be missing. */
  onReconnect(call: () => void): void;
}

/** A job that a worker has, until its lease ends. */
export interface Delivery {
  job: QueuedJob;
  /** 1 for the first worker that got it. The fence of its result. */
  attempt: number;
  /** From the queue's clock to this machine's, in ms; `null` after the first attempt: it was elsewhere. */
  queuedMs: number | null;
  /** The lease begins anew. */
  extend(): void;
  /** The job is over: nobody gets it again. */
  done(): void;
  /** The lease ends: another attempt begins after `ms`, at any worker. */
  handBack(ms: number): void;
}

export interface WorkerLink extends RecordLink {
  /** Waits for a job; `null` when there was none for a while, or `signal` came. */
  next(signal: AbortSignal): Promise<Delivery | null>;
  notify(job: Pick<QueuedJob, 'tenant' | 'submitter'>, notice: Notice): void;
  onCancel(take: (tenant: string, cancel: Cancel) => void): void;
  /** Whether the submitter of a job answers. Rejects when the broker is gone. */
  isHeard(job: Pick<QueuedJob, 'tenant' | 'submitter'>): Promise<boolean>;
}
