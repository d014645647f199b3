/**
 * Whether submitters live. All jobs of one submitter ask as one: each worker asks a submitter at most once in
 * `HEARD_MS`, however many of its jobs it has.
 */
import type { Clock } from '../clock.js';
import type { QueuedJob, WorkerLink } from '../links.js';

/** How long an answer holds; short beside the grace after which jobs are given up. */
const HEARD_MS = 1000;
/** Submitters that are remembered. */
const HEARD_MAX = 1000;

type Source = Pick<QueuedJob, 'tenant' | 'submitter'>;

export class HeardSubmitters {
  readonly #link: Pick<WorkerLink, 'isHeard'>;
  readonly #clock: Clock;
  readonly #asking = new Map<string, Promise<boolean>>();
  /** When they answered last, the oldest first. */
  readonly #heardAt = new Map<string, number>();

  constructor(link: Pick<WorkerLink, 'isHeard'>, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** As of the link: rejects when the broker is gone. */
  isHeard({ tenant, submitter }: Source): Promise<boolean> {
    const key = `${tenant}.${submitter}`;
    const heardAt = this.#heardAt.get(key);
    if (heardAt !== undefined && this.#clock.now() - heardAt < HEARD_MS) return Promise.resolve(true);
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#ask(key, { tenant, submitter });
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(key: string, source: Source): Promise<boolean> {
    try {
      const isHeard = await this.#link.isHeard(source);
      this.#heardAt.delete(key);
      if (isHeard) this.#remember(key);
      return isHeard;
    } finally {
      this.#asking.delete(key);
    }
  }

  #remember(key: string): void {
    this.#heardAt.set(key, this.#clock.now());
    if (this.#heardAt.size <= HEARD_MAX) return;
    for (const oldest of this.#heardAt.keys()) return void this.#heardAt.delete(oldest);
  }
}
