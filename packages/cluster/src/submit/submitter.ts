/**
 * Jobs of one process on their way to workers and back. A job waits here for its tenant's turn, goes to the
 * broker when workers will soon have room, and ends with the first record under its key. The broker sends
 * that on when it is stored; when it is lost on the way, it is found by looking. Everything is tried again
 * until the job's deadline: publishing and writing a record twice does nothing.
 */
import { OverloadedError } from '@sbx/core';
import { type Clock, pause } from '../clock.js';
import {
  ClusterDeniedError,
  JobCancelledError,
  JobConflictError,
  JobDeadlineError,
  WorkerLostError,
} from '../errors.js';
import type { SubmitterLink } from '../links.js';
import { Histogram } from '../metrics/histogram.js';
import { recordKey } from '../names.js';
import { FairQueue } from '../queue/fair-queue.js';
import { Retries } from '../retries.js';
import type { Notice } from '../wire/notice.js';
import { decodeRecord, type JobRecord } from '../wire/record.js';
import { Cancels } from './cancels.js';
import { endingOf, JobTicket, noEndings, type SubmittedJob, unreadable } from './ticket.js';

/** Between two looks for a record, without news of the job. */
const LOOK_MS = 5000;
/** Looks at the same time. */
const LOOKS_MAX = 32;
/** What the caller is told of a full queue. */
const RETRY_AFTER_MS = 1000;
/** Part of a window that must be free before it is filled again. */
const ROOM_MIN = 0.25;

export interface SubmitterOptions {
  /** Name of this submitter, for records of jobs that it cancelled. */
  name: string;
  /** Jobs that may be at the broker at once; asked before each. */
  windowOf: () => number;
  /** Jobs of all tenants that may wait here. */
  queueLength: number;
  /** Jobs of one tenant that may wait here. */
  queueLengthPerTenant: number;
  weightOf?: ((tenant: string) => number) | undefined;
  /** How long a cancelled job's worker may take to send what there is. */
  resultGraceMs?: number | undefined;
}

export class Submitter {
  readonly #link: SubmitterLink;
  readonly #clock: Clock;
  readonly #options: SubmitterOptions;
  readonly #queue: FairQueue<JobTicket>;
  readonly #tickets = new Map<string, JobTicket>();
  readonly #cancels: Cancels;
  #published = 0;
  #windowWasFull = false;
  #isClosed = false;
  #stopLooking: () => void = () => undefined;
  readonly totals = { submitted: 0, refused: 0, secondAttempts: 0 };
  /** Jobs by how they ended. */
  readonly ended = noEndings();
  /** Here until the turn; from the call to the end. */
  readonly times = { waits: new Histogram(), jobs: new Histogram() };

  constructor(link: SubmitterLink, clock: Clock, options: SubmitterOptions) {
    this.#link = link;
    this.#clock = clock;
    this.#options = options;
    this.#queue = new FairQueue(options.weightOf);
    this.#cancels = new Cancels(link, clock, options.name);
    link.onNotice((notice) => this.#onNotice(notice));
    link.onDenied((tenant, error) => this.#onDenied(tenant, error));
    link.onReconnect(() => void this.#look(Number.NEGATIVE_INFINITY));
    this.#lookLater();
  }

  /** Jobs that wait here, and those that are at the broker or with a worker. */
  get load(): { waiting: number; published: number; waitingByTenant: Record<string, number> } {
    return { waiting: this.#queue.size, published: this.#published, waitingByTenant: this.#queue.sizes() };
  }

  /**
   * The same id gives the same ticket. `spentMs`: from the call until now. Throws `JobConflictError` for
   * another body, `OverloadedError` when the queue is full.
   */
  submit(job: SubmittedJob, spentMs = 0): JobTicket {
    const key = recordKey(job.tenant, job.id);
    const known = this.#tickets.get(key);
    if (known !== undefined) {
      if (known.job.bodyHash !== job.bodyHash) throw new JobConflictError(job.id);
      return known;
    }
    this.#checkRoom(job);
    const ticket = new JobTicket(job, this.#clock.now() - spentMs);
    this.#tickets.set(key, ticket);
    this.#cancels.forget(key);
    this.totals.submitted += 1;
    ticket.stopDeadline = this.#clock.after(job.deadlineMs - spentMs, () => {
      void this.cancel(ticket, new JobDeadlineError(job.deadlineMs, ...ticket.whereabouts));
    });
    this.#queue.push(ticket);
    this.pump();
    return ticket;
  }

  /**
   * Sends what there is room for: after a job's end, and when workers came. A window that was full is filled
   * again when a part of it is free: workers have enough until then, and jobs that go out together cost one
   * write here, and wake the broker once.
   */
  pump(): void {
    const window = this.#isClosed ? 0 : this.#options.windowOf();
    if (this.#windowWasFull && window - this.#published < window * ROOM_MIN) return;
    this.#windowWasFull = false;
    while (this.#published < window) {
      const ticket = this.#queue.shift();
      if (ticket === null) return;
      this.#send(ticket);
    }
    this.#windowWasFull = true;
  }

  #send(ticket: JobTicket): void {
    this.#published += 1;
    ticket.state = 'queued';
    this.times.waits.observe(this.#clock.now() - ticket.submittedAt);
    const take = (record: Uint8Array) => this.#onRecord(ticket, record);
    ticket.stopFollowing = this.#link.follow(ticket.job, take);
    void this.#publish(ticket);
  }

  /**
   * Durable: no result of it is accepted any more, whatever a worker makes of it. The ticket rejects with
   * `reason` at once.
   */
  async cancel(ticket: JobTicket, reason: unknown): Promise<void> {
    if (ticket.state === 'ended') return;
    const { job, sequence } = ticket;
    const wasPublished = ticket.state !== 'waiting';
    ticket.isCancelled = true;
    if (!wasPublished) this.#queue.remove(ticket);
    this.#end(ticket, null, reason);
    if (wasPublished) await this.#cancels.cancel(job, sequence);
  }

  /**
   * Ends the program, whose result is told as any other; as `cancel` when no worker has it, or none answers.
   */
  async stop(ticket: JobTicket, reason: unknown): Promise<void> {
    if (ticket.state !== 'leased') return this.cancel(ticket, reason);
    const { tenant, id } = ticket.job;
    ticket.wantsResult = true;
    this.#link.cancel(tenant, { id, mode: 'result' });
    await pause(this.#clock, this.#options.resultGraceMs ?? 10_000, ticket.untilEnd());
    await this.cancel(ticket, reason);
  }

  /** Rejects what is not over with `reason`, and cancels it. */
  async close(reason: unknown): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopLooking();
    this.#cancels.close();
    await Promise.all([...this.#tickets.values()].map((ticket) => this.cancel(ticket, reason)));
  }

  #checkRoom({ tenant }: SubmittedJob): void {
    const { queueLength, queueLengthPerTenant } = this.#options;
    const isFull = this.#queue.size >= queueLength;
    if (!isFull && this.#queue.sizeOf(tenant) < queueLengthPerTenant) return;
    this.totals.refused += 1;
    const [what, length] = isFull ? ['the cluster', queueLength] : ['this tenant', queueLengthPerTenant];
    const message = `The queue of ${what} is full: ${length} jobs wait.`;
    throw new OverloadedError({ message, retryAfterMs: RETRY_AFTER_MS });
  }

  async #publish(ticket: JobTicket): Promise<void> {
    const { job } = ticket;
    const retries = new Retries(this.#clock);
    while (ticket.state !== 'ended') {
      try {
        const { sequence, before } = await this.#link.publish({ submitter: this.#options.name, ...job });
        ticket.sequence = sequence;
        ticket.refusal = null;
        if (ticket.isCancelled) {
          await this.#cancels.remove(job, sequence); // cancelled meanwhile
        } else if (before !== null && (ticket.state as string) !== 'ended') this.#meet(ticket, before);
        return;
      } catch (error) {
        if (error instanceof ClusterDeniedError) return this.#end(ticket, null, error);
        ticket.refusal = error;
        await retries.pause(); // until the deadline: the same id goes into the queue once
      }
    }
  }

  /** The id was in the queue before: from an earlier try of ours, or from another submitter. */
  #meet(ticket: JobTicket, hash: string): void {
    if (hash !== '' && hash !== ticket.job.bodyHash) {
      this.#end(ticket, null, new JobConflictError(ticket.job.id));
    } else void this.#lookFor(ticket);
  }

  /** Without that permission its jobs would wait for what never comes. */
  #onDenied(tenant: string, error: Error): void {
    for (const ticket of this.#tickets.values())
      if (ticket.tenant === tenant) void this.cancel(ticket, error);
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'ping') return;
    const key = recordKey(notice.tenant, notice.id);
    const ticket = this.#tickets.get(key);
    if (notice.kind === 'leased') {
      if (ticket === undefined) void this.#cancels.onBegun(key);
      else this.#onLeased(ticket, notice.attempt);
    } else if (ticket !== undefined) void this.#lookFor(ticket);
  }

  #onLeased(ticket: JobTicket, attempt: number): void {
    if (ticket.state === 'ended' || attempt <= ticket.attempt) return;
    if (attempt > 1) this.totals.secondAttempts += 1;
    ticket.attempt = attempt;
    ticket.state = 'leased';
    if (ticket.wantsResult) this.#link.cancel(ticket.tenant, { id: ticket.job.id, mode: 'result' });
  }

  #onRecord(ticket: JobTicket, bytes: Uint8Array): void {
    if (ticket.state === 'ended') return;
    let record: JobRecord;
    try {
      record = decodeRecord(bytes);
    } catch (cause) {
      return this.#end(ticket, null, unreadable(cause));
    }
    const { kind, attempt, bodyHash } = record;
    const { job } = ticket;
    if (bodyHash !== job.bodyHash) return this.#end(ticket, null, new JobConflictError(job.id));
    if (kind === 'lost') return this.#end(ticket, null, new WorkerLostError(attempt));
    if (kind === 'cancelled') return this.#end(ticket, null, new JobCancelledError(job.id));
    this.#end(ticket, record, null);
  }

  #end(ticket: JobTicket, record: JobRecord | null, error: unknown): void {
    if (ticket.state === 'ended') return;
    if (ticket.state !== 'waiting') this.#published -= 1;
    ticket.state = 'ended';
    ticket.stopDeadline();
    ticket.stopFollowing();
    this.#tickets.delete(recordKey(ticket.tenant, ticket.job.id));
    this.ended[record === null ? endingOf(error) : 'done'] += 1;
    this.times.jobs.observe(this.#clock.now() - ticket.submittedAt);
    if (record === null) ticket.reject(error);
    else ticket.resolve(record);
    this.pump();
  }

  #lookLater(): void {
    this.#stopLooking = this.#clock.after(LOOK_MS, () => {
      void this.#look(this.#clock.now() - LOOK_MS).finally(() => this.#isClosed || this.#lookLater());
    });
  }

  /** For records of jobs of which nothing was heard since then. */
  async #look(since: number): Promise<void> {
    const isDue = ({ state, lookedAt }: JobTicket) =>
      state !== 'waiting' && (lookedAt <= since || since === Number.NEGATIVE_INFINITY);
    const due = [...this.#tickets.values()].filter(isDue);
    const next = async () => {
      for (let ticket = due.pop(); ticket !== undefined; ticket = due.pop()) await this.#lookFor(ticket);
    };
    await Promise.all(Array.from({ length: Math.min(LOOKS_MAX, due.length) }, next));
  }

  #lookFor(ticket: JobTicket): Promise<void> {
    ticket.lookedAt = this.#clock.now();
    return ticket.look(async () => {
      // The next look comes by itself.
      const record = await this.#link.readRecord(recordKey(ticket.tenant, ticket.job.id)).catch(() => null);
      if (record !== null) this.#onRecord(ticket, record);
    });
  }
}
