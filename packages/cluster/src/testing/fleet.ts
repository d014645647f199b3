/**
 * Many workers and submitters for some simulated minutes without faults: how many messages the broker gets
 * and sends, and how long jobs wait. Only the broker and the network are simulated; submitters, fair shares,
 * leases and looks for records are the code that runs with NATS.
 */
import { Submitter } from '../submit/submitter.js';
import { WorkerSlots } from '../work/worker-slots.js';
import { MemoryBroker } from './memory-broker.js';
import type { Node } from './memory-node.js';
import { randomFrom, SimClock } from './sim-clock.js';
import type { Messages } from './traffic.js';

export interface FleetOptions {
  seed: number;
  workers: number;
  /** Of each worker. */
  slots: number;
  submitters: number;
  /** Of all submitters, at random times. */
  jobsPerSecond: number;
  /** Of each job. */
  runMs: number;
  /** With jobs; before them a quarter of it without any. */
  seconds: number;
  /** Jobs of one tenant that come at once, after a quarter of the time. */
  burst: number;
  /** Submitters that they come to, evenly: the first ones. */
  burstAt: number;
}

export interface Waits {
  jobs: number;
  p50Ms: number;
  p99Ms: number;
}

export interface FleetReport {
  jobs: number;
  /** Messages in a second, by what they are for: without jobs, and with them. */
  idle: Map<string, Messages>;
  loaded: Map<string, Messages>;
  /**
   * From the call to the begin of the program: jobs of the tenant with the burst, of others of the submitters
   * that it came to, of other submitters.
   */
  waits: Record<'burst' | 'sameSubmitter' | 'otherSubmitters', Waits>;
}

/** As nats/presence.ts renews them. */
const ANNOUNCE_MS = 5000;
const EXTEND_MS = 3000;
const DELAY_MS = 1;
/** As engine/engine.ts has them: jobs at the broker for each place. */
const AHEAD = 2;
const TENANTS = 4;
const DAY_MS = 86_400_000;
const NONE = new Uint8Array(0);

export async function simulateFleet(options: FleetOptions): Promise<FleetReport> {
  const fleet = new Fleet(options);
  return fleet.run();
}

class Fleet {
  readonly #options: FleetOptions;
  readonly #clock = new SimClock();
  readonly #random: () => number;
  readonly #broker: MemoryBroker;
  readonly #submitters: Submitter[] = [];
  readonly #submittedAt = new Map<string, number>();
  readonly #waits = {
    burst: [] as number[],
    sameSubmitter: [] as number[],
    otherSubmitters: [] as number[],
  };
  #names = 0;
  #isOver = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
    this.#broker = new MemoryBroker(this.#clock, this.#random);
    this.#broker.faults = { drop: 0, delayMs: DELAY_MS };
    for (let index = 0; index < options.submitters; index += 1) this.#addSubmitter(index);
    for (let index = 0; index < options.workers; index += 1) this.#addWorker(index);
  }

  async run(): Promise<FleetReport> {
    const { seconds, burst, burstAt } = this.#options;
    const idleMs = (seconds * 1000) / 4;
    await this.#clock.run(ANNOUNCE_MS);
    this.#broker.traffic.take();
    await this.#clock.run(ANNOUNCE_MS + idleMs);
    const idle = perSecond(this.#broker.traffic.take(), idleMs);
    const from = this.#clock.now();
    this.#arrive();
    this.#clock.after((seconds * 1000) / 4, () => {
      for (let index = 0; index < burst; index += 1) this.#submit(index % burstAt, 'burst');
    });
    await this.#clock.run(from + seconds * 1000);
    const loaded = perSecond(this.#broker.traffic.take(), seconds * 1000);
    this.#isOver = true;
    const { burst: ofBurst, sameSubmitter, otherSubmitters } = this.#waits;
    return {
      jobs: ofBurst.length + sameSubmitter.length + otherSubmitters.length,
      idle,
      loaded,
      waits: {
        burst: waitsOf(ofBurst),
        sameSubmitter: waitsOf(sameSubmitter),
        otherSubmitters: waitsOf(otherSubmitters),
      },
    };
  }

  #addSubmitter(index: number): void {
    const { workers, slots } = this.#options;
    const node = this.#broker.node(`submitter${index}`);
    const submitter = new Submitter(this.#broker.submitterLink(node), this.#clock, {
      name: node.name,
      windowOf: () => AHEAD * workers * slots,
      queueLength: Number.POSITIVE_INFINITY,
      queueLengthPerTenant: Number.POSITIVE_INFINITY,
    });
    node.onPresence = () => submitter.pump();
    this.#submitters.push(submitter);
  }

  #addWorker(index: number): void {
    const { slots } = this.#options;
    const node = this.#broker.node(`worker${index}`);
    this.#clock.after(this.#random() * ANNOUNCE_MS, () => {
      this.#announce(node);
      new WorkerSlots(this.#broker.workerLink(node), this.#clock, {
        name: node.name,
        slots,
        extendMs: EXTEND_MS,
        execute: ({ job: { id, tenant } }) => this.#execute(id, tenant),
      });
    });
  }

  #announce(node: Node): void {
    this.#broker.announce(node);
    if (!this.#isOver) this.#clock.after(ANNOUNCE_MS, () => this.#announce(node));
  }

  #execute(id: string, tenant: string): Promise<Uint8Array> {
    const waitedMs = this.#clock.now() - this.#submittedAt.get(id)!;
    this.#submittedAt.delete(id);
    if (tenant === 'burst') this.#waits.burst.push(waitedMs);
    else
      this.#waits[Number.parseInt(id, 10) < this.#options.burstAt ? 'sameSubmitter' : 'otherSubmitters'].push(
        waitedMs,
      );
    return new Promise((resolve) => this.#clock.after(this.#options.runMs, () => resolve(NONE)));
  }

  /** One after another, at times as of a Poisson process. */
  #arrive(): void {
    if (this.#isOver) return;
    const waitMs = (-Math.log(1 - this.#random()) * 1000) / this.#options.jobsPerSecond;
    this.#clock.after(waitMs, () => {
      const tenant = `t${Math.floor(this.#random() * TENANTS)}`;
      this.#submit(Math.floor(this.#random() * this.#submitters.length), tenant);
      this.#arrive();
    });
  }

  #submit(index: number, tenant: string): void {
    const id = `${index}-${this.#names++}`;
    this.#submittedAt.set(id, this.#clock.now());
    this.#submitters[index]!.submit({
      id,
      tenant,
      priority: 0,
      maxAttempts: 3,
      deadlineMs: DAY_MS,
      orphanGraceMs: 30_000,
      bodyHash: '',
      trace: null,
      body: NONE,
    });
  }
}

function perSecond(traffic: Map<string, Messages>, ms: number): Map<string, Messages> {
  const rate = (count: number) => (count * 1000) / ms;
  return new Map([...traffic].map(([kind, each]) => [kind, { in: rate(each.in), out: rate(each.out) }]));
}

function waitsOf(all: number[]): Waits {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { jobs: all.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
