/**
 * A worker's places: each takes a job when it is free, and never more. The result counts only when this
 * worker's record is the first. A place is free when its program is over: the record is on its way while the
 * next job comes.
 */
import { setMaxListeners } from 'node:events';
import { type Clock, pause } from '../clock.js';
import type { Delivery, WorkerLink } from '../links.js';
import { Histogram } from '../metrics/histogram.js';
import { recordKey } from '../names.js';
import { Retries } from '../retries.js';
import type { Cancel } from '../wire/notice.js';
import { encodeRecord, type JobRecord } from '../wire/record.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Leases } from './leases.js';
import { RecentCancels } from './recent-cancels.js';
import { StopJob } from './stop-job.js';
import { nextAttemptMs, WorkerFault } from './worker-fault.js';

/** A job that is over sooner is not told as leased: its record says all. */
const LEASED_MS = 10;
const NONE = new Uint8Array(0);

/** What became of a record: it is the first of its job, it is not, or it is nowhere. */
type Written = 'accepted' | 'superseded' | 'given up';

export interface WorkerSlotsOptions {
  /** Name of this worker, unique for each start. */
  name: string;
  /** Jobs at the same time. */
  slots: number;
  /** Between two extensions of a lease. */
  extendMs: number;
  /**
   * Carries a job out, and gives the result for its submitter; errors of the job are results as well.
   * `signal` is aborted with a `StopJob`. Rejects with a `WorkerFault` where another attempt is to be made.
   */
  execute(delivery: Delivery, signal: AbortSignal): Promise<Uint8Array>;
}

export class WorkerSlots {
  readonly #link: WorkerLink;
  readonly #clock: Clock;
  readonly #options: WorkerSlotsOptions;
  readonly #draining = new AbortController();
  readonly #stopped = new AbortController();
  /** Jobs of this worker, until they have their records. */
  readonly #running = new Map<string, AbortController>();
  /** Of those, the ones that have left their places. */
  readonly #ending = new Set<Promise<void>>();
  readonly #recent = new RecentCancels();
  /** Of jobs that ended by themselves. On Node 20, V8 optimizes nothing that gets a new signal each time. */
  readonly #spareControllers: AbortController[] = [];
  readonly #leases: Leases;
  readonly #breaker: CircuitBreaker;
  readonly #loops: Promise<void>[];
  readonly totals = { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 };
  /** What is not announced: for this worker's own page. */
  readonly figures = {
    redelivered: 0,
    handedBack: 0,
    extensions: 0,
    queued: new Histogram(),
    runs: new Histogram(),
  };

  constructor(link: WorkerLink, clock: Clock, options: WorkerSlotsOptions) {
    this.#link = link;
    this.#clock = clock;
    this.#options = options;
    this.#leases = new Leases(link, clock, {
      extendMs: options.extendMs,
      onExtended: () => {
        this.figures.extensions += 1;
      },
      onUnwanted: (key, mode) => this.#stopJob(key, mode),
    });
    this.#breaker = new CircuitBreaker(clock, this.#draining.signal);
    // Each place that waits listens, and each record that waits for the broker.
    setMaxListeners(0, this.#draining.signal, this.#stopped.signal);
    link.onCancel((tenant, cancel) => this.#onCancel(recordKey(tenant, cancel.id), cancel));
    this.#loops = Array.from({ length: options.slots }, () => this.#serve());
  }

  get running(): number {
    return this.#running.size - this.#ending.size;
  }

  /** It takes no jobs for a while, since it could not carry out those that it had. */
  get isPaused(): boolean {
    return this.#breaker.isOpen;
  }

  /** Takes nothing new; resolves when what runs has ended. */
  async drain(): Promise<void> {
    this.#draining.abort();
    await Promise.all(this.#loops);
    await Promise.all(this.#ending);
  }

  /** Ends what runs, and gives up records that the broker does not take; other workers get those jobs. */
  stop(): void {
    this.#stopped.abort();
    this.#draining.abort();
    for (const controller of this.#running.values()) controller.abort(new StopJob('drop'));
  }

  async #serve(): Promise<void> {
    const { signal } = this.#draining;
    const retries = new Retries(this.#clock, signal);
    while (!signal.aborted) {
      try {
        const delivery = await this.#link.next(this.#breaker.signal);
        retries.reset();
        // What was on its way when this worker was stopped goes to another when its lease ends.
        if (delivery !== null && !this.#stopped.signal.aborted) await this.#take(delivery);
        // Where records cannot be written they do not pile up: places ask for nothing more.
        while (this.#ending.size >= this.#options.slots) await Promise.race(this.#ending);
      } catch {
        await retries.pause(); // the broker is gone
      }
      if (this.#breaker.isOpen) await this.#breaker.closed();
    }
  }

  async #take(delivery: Delivery): Promise<void> {
    const { job, attempt, queuedMs } = delivery;
    const key = recordKey(job.tenant, job.id);
    if (queuedMs === null) this.figures.redelivered += 1;
    else this.figures.queued.observe(queuedMs);
    const isSecond = attempt > 1 || this.#recent.has(key);
    if (isSecond && (await this.#link.readRecord(key)) !== null) return this.#pass(delivery);
    if (attempt > job.maxAttempts) return this.#giveUp(delivery, key, 'lost');
    if (this.#running.has(key)) return this.#waitForOwn(delivery, key);
    const controller = this.#spareControllers.pop() ?? new AbortController();
    this.#running.set(key, controller);
    const stopLease = this.#leases.keep(delivery, key);
    const letGo = () => {
      stopLease();
      this.#running.delete(key);
      if (!controller.signal.aborted) this.#spareControllers.push(controller);
    };
    try {
      const outcome = await this.#carryOut(delivery, controller.signal);
      if (outcome === null) {
        letGo();
        return this.#handBack(delivery);
      }
      const ending = this.#end(delivery, key, { outcome, reason: controller.signal.reason }).finally(() => {
        letGo();
        this.#ending.delete(ending);
      });
      this.#ending.add(ending);
    } catch (error) {
      letGo();
      throw error;
    }
  }

  /**
   * The job has its record. The broker sent that on when it was stored, which may be before its submitter
   * asked for the job.
   */
  #pass({ job, done }: Delivery): void {
    this.#link.notify(job, { kind: 'ended', tenant: job.tenant, id: job.id });
    done();
  }

  /**
   * An earlier attempt of this very worker still runs: its lease ended while the broker was away. Its record
   * is that of both.
   */
  async #waitForOwn(delivery: Delivery, key: string): Promise<void> {
    while (this.#running.has(key)) {
      delivery.extend();
      await pause(this.#clock, this.#options.extendMs, this.#draining.signal);
      if (this.#draining.signal.aborted) return;
    }
    await this.#take(delivery);
  }

  /** `null`: this worker is at fault, and there is another attempt. */
  async #carryOut(delivery: Delivery, signal: AbortSignal): Promise<Uint8Array | null> {
    this.totals.started += 1;
    const startedAt = this.#clock.now();
    const stopTelling = this.#tellLeased(delivery);
    try {
      const outcome = await this.#options.execute(delivery, signal);
      this.figures.runs.observe(this.#clock.now() - startedAt);
      this.#breaker.onSuccess();
      return outcome;
    } catch (error) {
      if (!(error instanceof WorkerFault)) throw error;
      this.#breaker.onFault(startedAt);
      return delivery.attempt < delivery.job.maxAttempts && !signal.aborted ? null : error.outcome;
    } finally {
      stopTelling();
    }
  }

  /** The next attempt may be this worker's as well. */
  #handBack({ attempt, handBack }: Delivery): void {
    this.figures.handedBack += 1;
    handBack(nextAttemptMs(attempt));
  }

  /** `reason`: why the program was ended, if it was. Never rejects. */
  async #end(
    delivery: Delivery,
    key: string,
    { outcome, reason }: { outcome: Uint8Array; reason: StopJob | undefined },
  ): Promise<void> {
    if (reason?.mode === 'drop') return this.#drop(delivery, key);
    if (reason?.mode === 'orphan') return this.#giveUp(delivery, key, 'cancelled');
    const { job, attempt } = delivery;
    const { name: worker } = this.#options;
    const record: JobRecord = { kind: 'done', attempt, worker, bodyHash: job.bodyHash, outcome };
    const written = await this.#write(delivery, key, record);
    if (written !== 'given up') this.totals[written] += 1;
  }

  #tellLeased({ job, attempt }: Delivery): () => void {
    const { tenant, id } = job;
    const { name: worker } = this.#options;
    const tell = () => this.#link.notify(job, { kind: 'leased', tenant, id, attempt, worker });
    return this.#clock.after(attempt > 1 ? 0 : LEASED_MS, tell);
  }

  /** The job is done only when a record says so: else others get it, when this worker itself is to end. */
  async #drop(delivery: Delivery, key: string): Promise<void> {
    this.totals.cancelled += 1;
    // Where the broker is gone, the next worker looks.
    const record = await this.#link.readRecord(key).catch(() => null);
    if (record !== null) delivery.done();
  }

  /** Never a verdict: whoever still asks for the job is told that it has none. */
  async #giveUp(delivery: Delivery, key: string, kind: 'lost' | 'cancelled'): Promise<void> {
    const { job, attempt } = delivery;
    const { name: worker } = this.#options;
    const { bodyHash } = job;
    const begun = kind === 'lost' ? attempt - 1 : attempt;
    const record: JobRecord = { kind, attempt: begun, worker, bodyHash, outcome: NONE };
    if ((await this.#write(delivery, key, record)) !== 'given up') this.totals[kind] += 1;
  }

  /**
   * Until it is written, by whomever, or this worker is stopped: then the lease ends, and another worker does
   * the job.
   */
  async #write(delivery: Delivery, key: string, record: JobRecord): Promise<Written> {
    const bytes = encodeRecord(record);
    const { signal } = this.#stopped;
    const retries = new Retries(this.#clock, signal);
    for (;;) {
      try {
        if (await this.#link.createRecord(key, bytes)) {
          delivery.done();
          return 'accepted';
        }
        const isOurs = await this.#isStored(key, bytes);
        this.#pass(delivery);
        return isOurs ? 'accepted' : 'superseded';
      } catch {
        await retries.pause();
        if (signal.aborted) return 'given up';
      }
    }
  }

  /**
   * The answer to an earlier try may have been lost. Each byte counts: a broker that was started again may
   * hand out a job anew that this very worker has done, as its first attempt.
   */
  async #isStored(key: string, bytes: Uint8Array): Promise<boolean> {
    const stored = await this.#link.readRecord(key);
    return stored !== null && Buffer.compare(stored, bytes) === 0;
  }

  /** Nothing, when it is over: its signal may be another job's by then. */
  #stopJob(key: string, mode: StopJob['mode']): void {
    this.#running.get(key)?.abort(new StopJob(mode));
  }

  #onCancel(key: string, { mode }: Cancel): void {
    if (mode === 'drop') this.#recent.add(key);
    this.#stopJob(key, mode);
  }
}
