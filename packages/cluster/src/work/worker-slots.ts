/**
 * A worker's places: each takes a job when it is free, and never more. While a job runs its lease is extended, however long it takes; at the
 * same time its record is looked for, since a job that was cancelled, or ended by another worker, needs no end here. The result counts
 * only when this worker's record is the first.
 */
import { type Clock, pause } from '../clock.js';
import type { Delivery, WorkerLink } from '../links.js';
import { recordKey } from '../names.js';
import type { Cancel } from '../wire/notice.js';
import { decodeRecord, encodeRecord, isSameWrite, type JobRecord } from '../wire/record.js';
import { RecentCancels } from './recent-cancels.js';

const RETRY_MS = 100;
const RETRY_MS_MAX = 2000;
const NONE = new Uint8Array(0);

/** Why a job is to end before its program has ended. */
export class StopJob extends Error {
  override name = 'StopJob';
  /** `'drop'`: nobody wants anything of it. `'orphan'`: its submitter is gone, and no record says so yet. */
  readonly mode: Cancel['mode'] | 'orphan';

  constructor(mode: Cancel['mode'] | 'orphan') {
    super(`the job is to end (${mode})`);
    this.mode = mode;
  }
}

export interface WorkerSlotsOptions {
  /** Name of this worker, unique for each start. */
  name: string;
  /** Jobs at the same time. */
  slots: number;
  /** Between two extensions of a lease. */
  extendMs: number;
  /**
   * Carries a job out, and gives the result for its submitter; errors of the job are results as well. `signal` is aborted with a `StopJob`.
   */
  execute(delivery: Delivery, signal: AbortSignal): Promise<Uint8Array>;
}

export class WorkerSlots {
  readonly #link: WorkerLink;
  readonly #clock: Clock;
  readonly #options: WorkerSlotsOptions;
  readonly #draining = new AbortController();
  readonly #running = new Map<string, AbortController>();
  readonly #recent = new RecentCancels();
  readonly #loops: Promise<void>[];
  readonly totals = { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 };

  constructor(link: WorkerLink, clock: Clock, options: WorkerSlotsOptions) {
    this.#link = link;
    this.#clock = clock;
    this.#options = options;
    link.onCancel((tenant, cancel) => this.#onCancel(recordKey(tenant, cancel.id), cancel));
    this.#loops = Array.from({ length: options.slots }, () => this.#serve());
  }

  get running(): number {
    return this.#running.size;
  }

  /** Takes nothing new; resolves when what runs has ended. */
  async drain(): Promise<void> {
    this.#draining.abort();
    await Promise.all(this.#loops);
  }

  /** Ends what runs; other workers get it. */
  stop(): void {
    this.#draining.abort();
    for (const controller of this.#running.values()) controller.abort(new StopJob('drop'));
  }

  async #serve(): Promise<void> {
    const { signal } = this.#draining;
    for (let waitMs = RETRY_MS; !signal.aborted; ) {
      try {
        const delivery = await this.#link.next(signal);
        waitMs = RETRY_MS;
        if (delivery !== null) await this.#take(delivery);
      } catch {
        await pause(this.#clock, waitMs, signal); // the broker is gone
        waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
      }
    }
  }

  async #take(delivery: Delivery): Promise<void> {
    const { job, attempt } = delivery;
    const key = recordKey(job.tenant, job.id);
    const isSecond = attempt > 1 || this.#recent.has(key);
    if (isSecond && (await this.#link.readRecord(key)) !== null) return delivery.done();
    if (attempt > job.maxAttempts) return this.#giveUp(delivery, key, 'lost');
    if (this.#running.has(key)) return this.#waitForOwn(delivery, key);
    const controller = new AbortController();
    this.#running.set(key, controller);
    try {
      await this.#carryOut(delivery, key, controller);
    } finally {
      this.#running.delete(key);
    }
  }

  /** An earlier attempt of this very worker still runs: its lease ended while the broker was away. Its record is that of both. */
  async #waitForOwn(delivery: Delivery, key: string): Promise<void> {
    while (this.#running.has(key)) {
      delivery.extend();
      await pause(this.#clock, this.#options.extendMs, this.#draining.signal);
      if (this.#draining.signal.aborted) return;
    }
    await this.#take(delivery);
  }

  async #carryOut(delivery: Delivery, key: string, controller: AbortController): Promise<void> {
    const { job, attempt } = delivery;
    const { name: worker, execute } = this.#options;
    this.totals.started += 1;
    this.#link.notify(job, { kind: 'leased', tenant: job.tenant, id: job.id, attempt, worker });
    const stopLease = this.#keepLease(delivery, key, controller);
    try {
      const outcome = await execute(delivery, controller.signal);
      const mode = (controller.signal.reason as StopJob | undefined)?.mode;
      if (mode === 'drop') return this.#drop(delivery, key);
      if (mode === 'orphan') return this.#giveUp(delivery, key, 'cancelled');
      const record: JobRecord = { kind: 'done', attempt, worker, bodyHash: job.bodyHash, outcome };
      const isFirst = await this.#write(delivery, key, record);
      this.totals[isFirst ? 'accepted' : 'superseded'] += 1;
    } finally {
      stopLease();
    }
  }

  /** The job is done only when a record says so: else others get it, when this worker itself is to end. */
  async #drop(delivery: Delivery, key: string): Promise<void> {
    this.totals.cancelled += 1;
    if ((await this.#link.readRecord(key)) !== null) delivery.done();
  }

  /** Never a verdict: whoever still asks for the job is told that it has none. */
  async #giveUp(delivery: Delivery, key: string, kind: 'lost' | 'cancelled'): Promise<void> {
    const { job, attempt } = delivery;
    const { name: worker } = this.#options;
    const { bodyHash } = job;
    const begun = kind === 'lost' ? attempt - 1 : attempt;
    await this.#write(delivery, key, { kind, attempt: begun, worker, bodyHash, outcome: NONE });
    this.totals[kind] += 1;
  }

  /** Until it is written, by whomever. */
  async #write(delivery: Delivery, key: string, record: JobRecord): Promise<boolean> {
    const { job } = delivery;
    const bytes = encodeRecord(record);
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
      try {
        const isFirst = (await this.#link.createRecord(key, bytes)) || (await this.#isOurs(key, record));
        if (isFirst) this.#link.notify(job, { kind: 'ended', tenant: job.tenant, id: job.id }, bytes);
        delivery.done();
        return isFirst;
      } catch {
        await pause(this.#clock, waitMs);
      }
    }
  }

  /** The answer to an earlier try may have been lost. */
  async #isOurs(key: string, record: JobRecord): Promise<boolean> {
    const written = await this.#link.readRecord(key);
    return written !== null && isSameWrite(decodeRecord(written), record);
  }

  #keepLease(delivery: Delivery, key: string, controller: AbortController): () => void {
    const { extendMs } = this.#options;
    let stop: () => void = () => undefined;
    let unheardSince: number | null = null;
    const look = async () => {
      if ((await this.#link.readRecord(key)) !== null) return controller.abort(new StopJob('drop'));
      const { orphanGraceMs } = delivery.job;
      if (orphanGraceMs === 0) return;
      const isHeard = await this.#link.isHeard(delivery.job);
      unheardSince = isHeard ? null : (unheardSince ?? this.#clock.now());
      if (unheardSince === null || this.#clock.now() - unheardSince < orphanGraceMs) return;
      controller.abort(new StopJob('orphan'));
    };
    const extend = () => {
      delivery.extend();
      look().catch(() => undefined); // the broker is gone: the program goes on
      stop = this.#clock.after(extendMs, extend);
    };
    stop = this.#clock.after(extendMs, extend);
    return () => stop();
  }

  #onCancel(key: string, { mode }: Cancel): void {
    if (mode === 'drop') this.#recent.add(key);
    this.#running.get(key)?.abort(new StopJob(mode));
  }
}
