/**
 * A broker in memory for simulations: a work queue with leases, records that are written once, notices that
 * may be lost. What lies between it and a node is a network that delays (and so reorders) each message, drops
 * some, and parts nodes for a while.
 */
import type { Delivery, Published, QueuedJob, RecordLink, SubmitterLink, WorkerLink } from '../links.js';
import { recordKey } from '../names.js';
import { type Cancel, decodeNotice, encodeNotice, type Notice } from '../wire/notice.js';
import type { SimClock } from './sim-clock.js';

const LEASE_MS = 10_000;
const PULL_MS = 5000;
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

interface Pull {
  node: Node;
  take: (delivery: Delivery) => void;
  isOver: boolean;
}

/** A process at the network. */
export class Node {
  readonly name: string;
  isDead = false;
  cutUntil = 0;
  onNotice: ((notice: Notice) => void) | null = null;
  onCancel: ((tenant: string, cancel: Cancel) => void) | null = null;
  onReconnect: (() => void) | null = null;
  /** Who waits for which record. */
  readonly followers = new Map<string, (record: Uint8Array) => void>();

  constructor(name: string) {
    this.name = name;
  }
}

export class MemoryBroker {
  readonly records = new Map<string, Uint8Array>();
  faults: Faults = { drop: 0, delayMs: 1 };
  readonly #clock: SimClock;
  readonly #random: () => number;
  readonly #nodes = new Map<string, Node>();
  readonly #entries = new Map<number, Entry>();
  readonly #ids = new Map<string, { sequence: number; hash: string }>();
  #pulls: Pull[] = [];
  #sequence = 0;

  constructor(clock: SimClock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
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

  submitterLink(node: Node): SubmitterLink {
    return {
      ...this.#recordLink(node),
      publish: (job) => this.#ask(node, () => this.#publish(job)),
      remove: (sequence) => this.#ask(node, () => this.#remove(sequence)),
      cancel: (tenant, cancel) => {
        for (const each of this.#nodes.values()) {
          if (each.onCancel !== null) this.#tell(node, each, () => each.onCancel!(tenant, cancel));
        }
      },
      onNotice: (take) => {
        node.onNotice = take;
      },
      follow: (key, take) => {
        node.followers.set(key, take);
        return () => node.followers.delete(key);
      },
      onReconnect: (call) => {
        node.onReconnect = call;
      },
    };
  }

  workerLink(node: Node): WorkerLink {
    return {
      ...this.#recordLink(node),
      next: (signal) => this.#next(node, signal),
      notify: ({ submitter }, notice) => {
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
        return this.#ask(node, () => target !== undefined && this.#passes(target));
      },
    };
  }

  #recordLink(node: Node): RecordLink {
    return {
      createRecord: (key, record) =>
        this.#ask(node, () => {
          if (this.records.has(key)) return false;
          this.records.set(key, record);
          for (const each of this.#nodes.values()) {
            this.#send(each, () => each.isDead || each.followers.get(key)?.(record));
          }
          return true;
        }),
      readRecord: (key) => this.#ask(node, () => this.records.get(key) ?? null),
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
    this.#entries.set(sequence, {
      sequence,
      job,
      deliveries: 0,
      isLeased: false,
      stopLease: () => undefined,
    });
    this.#match();
    return { sequence, before: null };
  }

  #remove(sequence: number): void {
    this.#entries.get(sequence)?.stopLease();
    this.#entries.delete(sequence);
  }

  #next(node: Node, signal: AbortSignal): Promise<Delivery | null> {
    return new Promise((resolve) => {
      const settle = (delivery: Delivery | null) => {
        signal.removeEventListener('abort', end);
        resolve(delivery);
      };
      const pull: Pull = { node, isOver: false, take: settle };
      const end = () => {
        pull.isOver = true;
        if (!node.isDead) settle(null);
      };
      this.#clock.after(PULL_MS + ANSWER_MS, end);
      signal.addEventListener('abort', end, { once: true });
      this.#send(node, () => {
        this.#clock.after(PULL_MS, () => {
          pull.isOver = true;
        });
        this.#pulls.push(pull);
        this.#match();
      });
    });
  }

  #match(): void {
    this.#pulls = this.#pulls.filter(({ isOver }) => !isOver);
    for (const entry of this.#entries.values()) {
      if (entry.isLeased) continue;
      const pull = this.#pulls.shift();
      if (pull === undefined) return;
      pull.isOver = true;
      this.#lease(entry, pull);
    }
  }

  #lease(entry: Entry, { node, take }: Pull): void {
    entry.deliveries += 1;
    const attempt = entry.deliveries;
    const isCurrent = () => entry.isLeased && entry.deliveries === attempt;
    const begin = () => {
      entry.stopLease();
      entry.isLeased = true;
      entry.stopLease = this.#clock.after(LEASE_MS, () => {
        entry.isLeased = false;
        this.#match();
      });
    };
    begin();
    const delivery: Delivery = {
      job: entry.job,
      attempt,
      queuedMs: null,
      extend: () => this.#send(node, () => isCurrent() && begin()),
      done: () => this.#send(node, () => this.#remove(entry.sequence)),
    };
    this.#send(node, () => node.isDead || take(delivery));
  }
}
