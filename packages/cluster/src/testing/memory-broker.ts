/**
 * A broker in memory for simulations: a work queue with leases, records that are written once, notices that
 * may be lost. What lies between it and a node is a network that delays (and so reorders) each message, drops
 * some, and parts nodes for a while.
 */
import type { Delivery, Published, QueuedJob, RecordLink, SubmitterLink, WorkerLink } from '../links.js';
import { recordKey } from '../names.js';
import { decodeNotice, encodeNotice } from '../wire/notice.js';
import { Node, type Pull } from './memory-node.js';
import { MemoryPulls } from './memory-pulls.js';
import type { SimClock } from './sim-clock.js';
import { Traffic } from './traffic.js';

const LEASE_MS = 10_000;
const ANSWER_MS = 2000;

export interface Faults {
  /** Share of messages that are lost. */
  drop: number;
  /** Longest way of a message, in ms. */
  delayMs: number;
}

interface Entry {
  sequence: number;
  job: QueuedJob;
  deliveries: number;
  isLeased: boolean;
  stopLease: () => void;
}

export class MemoryBroker {
  readonly records = new Map<string, Uint8Array>();
  readonly traffic = new Traffic();
  faults: Faults = { drop: 0, delayMs: 1 };
  /** How long records are kept. */
  recordMs = Number.POSITIVE_INFINITY;
  /** Submitters may take jobs out of the queue. */
  isRemovalAllowed = true;
  readonly #clock: SimClock;
  readonly #random: () => number;
  readonly #nodes = new Map<string, Node>();
  readonly #entries = new Map<number, Entry>();
  /** Those without a lease, in order. */
  #waiting = new Map<number, Entry>();
  readonly #ids = new Map<string, { sequence: number; hash: string }>();
  readonly #pulls: MemoryPulls;
  #sequence = 0;

  constructor(clock: SimClock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
    this.#pulls = new MemoryPulls(clock, this.traffic, (node, arrive) => this.#send(node, arrive));
  }

  /** Jobs in the queue, leased ones included. */
  get size(): number {
    return this.#entries.size;
  }

  node(name: string): Node {
    const node = new Node(name);
    this.#nodes.set(name, node);
    return node;
  }

  /** Parts it from the broker for so long. */
  cut(node: Node, ms: number): void {
    node.cutUntil = this.#clock.now() + ms;
    this.#clock.after(ms + 1, () => node.isDead || node.onReconnect?.());
  }

  /** As a server that is started again: it knows the ids of jobs that are in its queue, and no others. */
  forgetIds(): void {
    for (const [key, { sequence }] of this.#ids) if (!this.#entries.has(sequence)) this.#ids.delete(key);
  }

  /** A worker says that it works, and all who watch hear of it. */
  announce(node: Node): void {
    const watchers = [...this.#nodes.values()].filter(({ onPresence }) => onPresence !== null);
    this.traffic.count('announcement', 1, 1 + watchers.length);
    for (const each of watchers) this.#tell(node, each, () => each.onPresence!());
  }

  submitterLink(node: Node): SubmitterLink {
    return {
      ...this.#recordLink(node, 'record looked for by its submitter'),
      publish: (job) => {
        this.traffic.count('job', 1, 1);
        return this.#ask(node, () => this.#publish(job));
      },
      remove: async (sequence) => {
        if (!this.isRemovalAllowed) throw new Error('not allowed');
        await this.#ask(node, () => this.#remove(sequence));
      },
      cancel: (tenant, cancel) => {
        this.traffic.count('cancel', 1, 0);
        for (const each of this.#nodes.values()) {
          if (each.onCancel === null) continue;
          this.traffic.count('cancel', 0, 1);
          this.#tell(node, each, () => each.onCancel!(tenant, cancel));
        }
      },
      onNotice: (take) => {
        node.onNotice = take;
      },
      follow: ({ tenant, id }, take) => {
        const key = recordKey(tenant, id);
        node.followers.set(key, take);
        return () => node.followers.delete(key);
      },
      onDenied: () => undefined,
      onReconnect: (call) => {
        node.onReconnect = call;
      },
    };
  }

  workerLink(node: Node): WorkerLink {
    return {
      ...this.#recordLink(node, 'record looked for by its worker'),
      next: (signal) => this.#pulls.next(node, signal, () => this.#match()),
      notify: ({ submitter }, notice) => {
        this.traffic.count('notice', 1, 1);
        const target = this.#nodes.get(submitter);
        if (target === undefined) return;
        const bytes = encodeNotice(notice);
        this.#tell(node, target, () => target.onNotice?.(decodeNotice(bytes)));
      },
      onCancel: (take) => {
        node.onCancel = take;
      },
      isHeard: ({ submitter }) => {
        const target = this.#nodes.get(submitter);
        this.traffic.count('sign of life', 2, 2);
        return this.#ask(node, () => target !== undefined && this.#passes(target));
      },
    };
  }

  #recordLink(node: Node, look: string): RecordLink {
    return {
      createRecord: (key, record) => {
        this.traffic.count('record', 1, 1);
        return this.#ask(node, () => {
          if (this.records.has(key)) return false;
          this.records.set(key, record);
          if (this.recordMs < Number.POSITIVE_INFINITY) {
            this.#clock.after(this.recordMs, () => this.records.delete(key));
          }
          for (const each of this.#nodes.values()) {
            if (!each.followers.has(key)) continue;
            this.traffic.count('record', 0, 1);
            this.#send(each, () => each.isDead || each.followers.get(key)?.(record));
          }
          return true;
        });
      },
      readRecord: (key) => {
        this.traffic.count(look, 1, 1);
        return this.#ask(node, () => this.records.get(key) ?? null);
      },
    };
  }

  #passes(node: Node): boolean {
    return !node.isDead && node.cutUntil <= this.#clock.now();
  }

  /** One way; lost without a word. */
  #send(node: Node, arrive: () => void): void {
    if (!this.#passes(node) || this.#random() < this.faults.drop) return;
    this.#clock.after(this.#random() * this.faults.delayMs, arrive);
  }

  #tell(from: Node, to: Node, arrive: () => void): void {
    this.#send(from, () => this.#send(to, () => to.isDead || arrive()));
  }

  /** There and back; the answer of a call that was carried out may be lost, too. */
  #ask<T>(node: Node, call: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.#clock.after(ANSWER_MS, () => {
        if (!node.isDead) reject(new Error('no answer'));
      });
      this.#send(node, () => {
        const answer = call();
        this.#send(node, () => {
          stop();
          if (!node.isDead) resolve(answer);
        });
      });
    });
  }

  #publish(job: QueuedJob): Published {
    const key = recordKey(job.tenant, job.id);
    const known = this.#ids.get(key);
    if (known !== undefined) return { sequence: known.sequence, before: known.hash };
    const sequence = ++this.#sequence;
    this.#ids.set(key, { sequence, hash: job.bodyHash });
    const entry = { sequence, job, deliveries: 0, isLeased: false, stopLease: () => undefined };
    this.#entries.set(sequence, entry);
    this.#waiting.set(sequence, entry);
    this.#match();
    return { sequence, before: null };
  }

  #remove(sequence: number): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) return;
    entry.stopLease();
    entry.isLeased = false; // an extension that comes late begins none
    this.#entries.delete(sequence);
    this.#waiting.delete(sequence);
  }

  #match(): void {
    for (const entry of this.#waiting.values()) {
      const pull = this.#pulls.shift();
      if (pull === null) return;
      this.#waiting.delete(entry.sequence);
      this.#lease(entry, pull);
    }
  }

  #lease(entry: Entry, { node, takers }: Pull): void {
    entry.deliveries += 1;
    const attempt = entry.deliveries;
    const isCurrent = () => entry.isLeased && entry.deliveries === attempt;
    const begin = () => {
      entry.stopLease();
      entry.isLeased = true;
      entry.stopLease = this.#clock.after(LEASE_MS, () => this.#endLease(entry));
    };
    begin();
    const delivery: Delivery = {
      job: entry.job,
      attempt,
      queuedMs: null,
      extend: () => {
        this.traffic.count('lease extended', 1, 0);
        this.#send(node, () => isCurrent() && begin());
      },
      done: () => {
        node.acks += 1;
        this.traffic.count('acknowledgement, with the next pull', 1, 0);
        this.#send(node, () => this.#remove(entry.sequence));
      },
      handBack: (ms) => {
        this.traffic.count('handed back', 1, 0);
        this.#send(node, () => {
          if (!isCurrent()) return;
          entry.stopLease();
          entry.stopLease = this.#clock.after(ms, () => this.#endLease(entry));
        });
      },
    };
    this.traffic.count('delivery', 0, 1);
    this.#send(node, () => node.isDead || takers.shift()?.(delivery));
  }

  /** Others get it, before those that came later. */
  #endLease(entry: Entry): void {
    entry.isLeased = false;
    this.#waiting = new Map([[entry.sequence, entry], ...this.#waiting]);
    this.#match();
  }
}
