/**
 * Extends the leases of jobs that run, however long they take. At the same time it looks for their records,
 * since a job that was cancelled, or ended by another worker, needs no end here, and for their submitters.
 */
import type { Clock } from '../clock.js';
import type { Delivery, WorkerLink } from '../links.js';
import { HeardSubmitters } from './heard-submitters.js';
import type { StopJob } from './stop-job.js';

interface LeaseOptions {
  /** Between two extensions. */
  extendMs: number;
  onExtended(): void;
  /** Nobody needs the job's end. */
  onUnwanted(key: string, mode: StopJob['mode']): void;
}

export class Leases {
  readonly #link: WorkerLink;
  readonly #clock: Clock;
  readonly #options: LeaseOptions;
  readonly #submitters: HeardSubmitters;

  constructor(link: WorkerLink, clock: Clock, options: LeaseOptions) {
    this.#link = link;
    this.#clock = clock;
    this.#options = options;
    this.#submitters = new HeardSubmitters(link, clock);
  }

  /** Until the returned function is called. */
  keep(delivery: Delivery, key: string): () => void {
    const { extendMs, onExtended, onUnwanted } = this.#options;
    let stop: () => void = () => undefined;
    let unheardSince: number | null = null;
    const look = async () => {
      if ((await this.#link.readRecord(key)) !== null) return onUnwanted(key, 'drop');
      const { orphanGraceMs } = delivery.job;
      if (orphanGraceMs === 0) return;
      const isHeard = await this.#submitters.isHeard(delivery.job);
      unheardSince = isHeard ? null : (unheardSince ?? this.#clock.now());
      if (unheardSince === null || this.#clock.now() - unheardSince < orphanGraceMs) return;
      onUnwanted(key, 'orphan');
    };
    const extend = () => {
      delivery.extend();
      onExtended();
      look().catch(() => {
        unheardSince = null; // the broker is gone, for the submitter perhaps as well: the program goes on
      });
      stop = this.#clock.after(extendMs, extend);
    };
    stop = this.#clock.after(extendMs, extend);
    return () => stop();
  }
}
