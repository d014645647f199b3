/**
 * One schedule: submitters, workers and a broker with a bad network, each with a clock of its own, all of it
 * from one seed. Throws when a promise of docs/cluster.md does not hold. Faults end after a while, so that
 * everything has to come to an end.
 */
import { JobCancelledError, WorkerLostError } from '../errors.js';
import { recordKey } from '../names.js';
import { Submitter } from '../submit/submitter.js';
import type { JobTicket } from '../submit/ticket.js';
import { decodeRecord } from '../wire/record.js';
import { WorkerFault } from '../work/worker-fault.js';
import { WorkerSlots } from '../work/worker-slots.js';
import { MemoryBroker } from './memory-broker.js';
import type { Node } from './memory-node.js';
import { NodeClock } from './node-clock.js';
import { randomFrom, SimClock } from './sim-clock.js';

const FAULTS_MS = 40_000;
const END_MS = 400_000;
/** Between the clocks of two machines. */
const SKEW_MS = 1_200_000;
const NONE = new Uint8Array(0);

interface Asked {
  ticket: JobTicket;
  submitter: Node;
  wasCancelled: boolean;
  end: string | null;
}

export interface Schedule {
  seed: number;
  attempts: number;
  lost: number;
  secondAttempts: number;
}

export async function simulate(seed: number): Promise<Schedule> {
  const world = new World(seed);
  await world.run();
  world.check();
  return world.summary();
}

class World {
  readonly #seed: number;
  readonly #clock = new SimClock();
  readonly #random: () => number;
  /** Of workers that can carry out no job for a while. */
  readonly #randomFault: () => number;
  readonly #faultShare: number;
  readonly #broker: MemoryBroker;
  readonly #submitters: { node: Node; clock: NodeClock; submitter: Submitter }[] = [];
  readonly #workers: { node: Node; clock: NodeClock; slots: WorkerSlots; running: number }[] = [];
  readonly #asked: Asked[] = [];
  /** Executions that were begun, by key. */
  readonly #begun = new Map<string, number>();
  #names = 0;
  /** Of the broker. */
  #restarts = 0;
  /** Nothing is lost, nobody dies: messages are late, and no more. */
  #isQuiet = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
    this.#randomFault = randomFrom(-seed); // of its own: schedules without faults stay what they were
    this.#faultShare = seed % 3 > 0 ? 0 : this.#randomFault() * 0.9;
    this.#broker = new MemoryBroker(this.#clock, this.#random);
    this.#broker.isRemovalAllowed = seed % 5 > 0; // as tenants whose permissions say so
    const worst = this.#random();
    this.#broker.faults = {
      drop: worst < 0.15 ? 0 : this.#random() * 0.3,
      delayMs: 1 + this.#random() * 400,
    };
  }

  async run(): Promise<void> {
    const count = 1 + this.#below(3);
    const harms = this.#random() < 0.15 ? 0 : 1 + this.#below(5);
    this.#isQuiet = harms === 0 && this.#broker.faults.drop === 0 && this.#faultShare === 0;
    for (let index = 0; index < 1 + this.#below(2); index += 1) this.#addSubmitter();
    for (let index = 0; index < 1 + this.#below(3); index += 1) this.#addWorker();
    for (let index = 0; index < count; index += 1) this.#at(() => this.#submit(`job${index}`));
    for (let index = 0; index < harms; index += 1) this.#at(() => this.#harm());
    await this.#clock.run(FAULTS_MS);
    this.#broker.faults = { drop: 0, delayMs: 2 };
    for (const { node } of [...this.#workers, ...this.#submitters]) node.cutUntil = 0;
    if (!this.#workers.some(({ node }) => !node.isDead)) this.#addWorker();
    await this.#clock.run(END_MS, () => this.#isOver());
  }

  check(): void {
    for (const { ticket, submitter, wasCancelled, end } of this.#asked) {
      const key = recordKey(ticket.tenant, ticket.job.id);
      if (submitter.isDead) continue;
      if (end === null)
        this.#fail(`${key} never ended: it is ${ticket.state}, its record says ${this.#recordOf(key)}`);
      if (wasCancelled) continue;
      if (end !== this.#recordOf(key))
        this.#fail(`${key} ended with ${end}, its record says ${this.#recordOf(key)}`);
    }
    for (const key of this.#begun.keys()) {
      const record = this.#recordOf(key);
      const begun = this.#begun.get(key)!;
      const { maxAttempts } = this.#asked.find(
        ({ ticket }) => recordKey(ticket.tenant, ticket.job.id) === key,
      )!.ticket.job;
      if (begun > maxAttempts * (1 + this.#restarts))
        this.#fail(`${key} was begun ${begun} times, more than ${maxAttempts}`);
      if (this.#isQuiet && begun > 1) this.#fail(`${key} was begun ${begun} times although nothing failed`);
      if (record === 'nothing') this.#fail(`${key} was begun and has no record`);
    }
    if (this.#broker.size > 0) this.#fail(`${this.#broker.size} jobs are left in the queue`);
    for (const { node, running } of this.#workers) {
      if (!node.isDead && running > 0) this.#fail(`${running} programs are left on ${node.name}`);
    }
  }

  summary(): Schedule {
    const attempts = [...this.#begun.values()].reduce((sum, count) => sum + count, 0);
    const lost = [...this.#broker.records.keys()].filter((key) => this.#recordOf(key) === 'lost').length;
    return { seed: this.#seed, attempts, lost, secondAttempts: attempts - this.#begun.size };
  }

  #fail(what: string): never {
    throw new Error(`seed ${this.#seed}: ${what}`);
  }

  #isOver(): boolean {
    const isOpen = this.#asked.some(({ end, submitter }) => end === null && !submitter.isDead);
    const isBusy = this.#workers.some(({ node, running }) => !node.isDead && running > 0);
    return !isOpen && !isBusy && this.#broker.size === 0;
  }

  /** `done N`: the result of attempt N. */
  #recordOf(key: string): string {
    const bytes = this.#broker.records.get(key);
    if (bytes === undefined) return 'nothing';
    const { kind, attempt, outcome } = decodeRecord(bytes);
    return kind === 'done' ? `done ${attempt} ${Buffer.from(outcome)}` : kind;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #at(call: () => void): void {
    this.#clock.after(this.#random() * FAULTS_MS * 0.8, call);
  }

  #newClock(): NodeClock {
    return new NodeClock(this.#clock, (this.#random() - 0.5) * SKEW_MS);
  }

  #addSubmitter(): void {
    const node = this.#broker.node(`submitter${this.#names++}`);
    const options = { name: node.name, windowOf: () => 4, queueLength: 100, queueLengthPerTenant: 100 };
    const clock = this.#newClock();
    const submitter = new Submitter(this.#broker.submitterLink(node), clock, options);
    this.#submitters.push({ node, clock, submitter });
  }

  #addWorker(): void {
    const node = this.#broker.node(`worker${this.#names++}`);
    const clock = this.#newClock();
    const worker = { node, clock, running: 0, slots: null as unknown as WorkerSlots };
    worker.slots = new WorkerSlots(this.#broker.workerLink(node), clock, {
      name: node.name,
      slots: 1 + this.#below(2),
      extendMs: 3000,
      execute: ({ job, attempt }, signal) => {
        const key = recordKey(job.tenant, job.id);
        this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1);
        worker.running += 1;
        const isFault = this.#clock.now() < FAULTS_MS && this.#randomFault() < this.#faultShare;
        return new Promise((resolve, reject) => {
          const end = () => {
            stop();
            signal.removeEventListener('abort', end);
            worker.running -= 1;
            if (node.isDead) return;
            const outcome = Buffer.from(`${node.name} ${attempt} ${this.#names++}`); // no two are alike
            if (isFault) reject(new WorkerFault(outcome, new Error('a fault of the schedule')));
            else resolve(outcome);
          };
          const stop = clock.after(this.#random() ** 3 * 30_000, end);
          signal.addEventListener('abort', end, { once: true });
        });
      },
    });
    this.#workers.push(worker);
  }

  #submit(id: string): void {
    const living = this.#submitters.filter(({ node }) => !node.isDead);
    const times = this.#random() < 0.2 ? 2 : 1; // also by another process, under the same id
    const maxAttempts = 1 + this.#below(3);
    for (let index = 0; index < times; index += 1) {
      const { node, submitter } = living[(this.#below(living.length) + index) % living.length]!;
      const ticket = submitter.submit({
        id,
        tenant: 't',
        priority: 0,
        maxAttempts,
        deadlineMs: END_MS * 2,
        orphanGraceMs: 5000,
        bodyHash: `hash of ${id}`,
        trace: null,
        body: NONE,
      });
      const asked: Asked = { ticket, submitter: node, wasCancelled: false, end: null };
      this.#asked.push(asked);
      ticket.record.then(
        ({ attempt, outcome }) => this.#note(asked, `done ${attempt} ${Buffer.from(outcome)}`),
        (error) => this.#note(asked, endOf(error)),
      );
      if (this.#random() < 0.15) this.#at(() => this.#cancel(asked, submitter));
    }
  }

  #note(asked: Asked, end: string): void {
    if (asked.end !== null && asked.end !== end) this.#fail(`${asked.ticket.job.id} ended twice`);
    asked.end = end;
  }

  #cancel(asked: Asked, submitter: Submitter): void {
    if (asked.submitter.isDead) return;
    asked.wasCancelled = true;
    for (const other of this.#asked) if (other.ticket === asked.ticket) other.wasCancelled = true;
    void submitter.cancel(asked.ticket, new Error('cancelled by the test'));
  }

  /**
   * Kills or parts a node, lets it sleep, or starts the broker again. One submitter lives on, and dead
   * workers are replaced, as an operator would.
   */
  #harm(): void {
    if (this.#random() < 0.2) {
      this.#restarts += 1;
      return this.#broker.forgetIds();
    }
    const nodes = [...this.#workers, ...this.#submitters.slice(1)].filter(({ node }) => !node.isDead);
    if (nodes.length === 0) return;
    const { node, clock } = nodes[this.#below(nodes.length)]!;
    const harm = this.#random();
    const ms = this.#random() * 25_000;
    if (harm < 0.25) clock.sleep(ms);
    if (harm < 0.5) return this.#broker.cut(node, ms);
    node.isDead = true;
    if (node.name.startsWith('worker')) this.#addWorker();
  }
}

function endOf(error: unknown): string {
  if (error instanceof WorkerLostError) return 'lost';
  return error instanceof JobCancelledError ? 'cancelled' : `error ${error}`;
}
