/**
 * Jobs that were cancelled when the broker had them. A record says so, and nobody's result counts from then
 * on. But records are kept for a while only, and a job may stay in the queue for longer: no worker is there,
 * and it could not be taken out. So they are remembered here: the worker that begins one gets a record to
 * find.
 */
import type { Clock } from '../clock.js';
import { ClusterDeniedError } from '../errors.js';
import type { SubmitterLink } from '../links.js';
import { recordKey } from '../names.js';
import { Retries } from '../retries.js';
import { encodeRecord } from '../wire/record.js';

/** Of jobs that are remembered: more than wait in a submitter, unless it was told otherwise. */
const COUNT_MAX = 16_384;
const NONE = new Uint8Array(0);

interface CancelledJob {
  tenant: string;
  id: string;
  bodyHash: string;
}

export class Cancels {
  readonly #link: SubmitterLink;
  readonly #clock: Clock;
  /** Of the submitter, for records. */
  readonly #name: string;
  /** By key of the record, oldest first. */
  readonly #mayBeQueued = new Map<string, CancelledJob & { isAgain: boolean }>();
  #isClosed = false;

  constructor(link: SubmitterLink, clock: Clock, name: string) {
    this.#link = link;
    this.#clock = clock;
    this.#name = name;
  }

  /** Durable when it resolves. `sequence`: in the queue, if it is known. */
  async cancel({ tenant, id, bodyHash }: CancelledJob, sequence: number | null): Promise<void> {
    this.#remember({ tenant, id, bodyHash });
    this.#tell({ tenant, id });
    await this.#write({ tenant, id, bodyHash });
    if (sequence !== null) await this.remove({ tenant, id }, sequence);
    this.#tell({ tenant, id }); // for one that got it meanwhile
  }

  /** Takes it out of the queue; else a worker finds the record. */
  async remove({ tenant, id }: Pick<CancelledJob, 'tenant' | 'id'>, sequence: number): Promise<void> {
    await this.#link.remove(sequence).then(
      () => this.forget(recordKey(tenant, id)),
      () => undefined,
    );
  }

  /** It is wanted again, or gone. */
  forget(key: string): void {
    this.#mayBeQueued.delete(key);
  }

  /** A worker has begun a job that nobody here waits for. */
  async onBegun(key: string): Promise<void> {
    const job = this.#mayBeQueued.get(key);
    if (job === undefined || job.isAgain) return;
    job.isAgain = true;
    await this.#write(job);
    this.#tell(job);
    job.isAgain = false;
  }

  /** What is not written is tried once more. */
  close(): void {
    this.#isClosed = true;
  }

  #remember(job: CancelledJob): void {
    const key = recordKey(job.tenant, job.id);
    this.#mayBeQueued.delete(key);
    this.#mayBeQueued.set(key, { ...job, isAgain: false });
    if (this.#mayBeQueued.size <= COUNT_MAX) return;
    for (const oldest of this.#mayBeQueued.keys()) return this.forget(oldest);
  }

  #tell({ tenant, id }: Pick<CancelledJob, 'tenant' | 'id'>): void {
    this.#link.cancel(tenant, { id, mode: 'drop' });
  }

  async #write({ tenant, id, bodyHash }: CancelledJob): Promise<void> {
    const header = { kind: 'cancelled', attempt: 0, worker: this.#name, bodyHash } as const;
    const record = encodeRecord({ ...header, outcome: NONE });
    const retries = new Retries(this.#clock);
    do {
      try {
        await this.#link.createRecord(recordKey(tenant, id), record);
        return;
      } catch (error) {
        if (error instanceof ClusterDeniedError) return;
        await retries.pause();
      }
    } while (!this.#isClosed);
  }
}
