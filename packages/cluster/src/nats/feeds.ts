/**
 * What comes for a submitter's jobs: notices, and records in the moment in which they are stored. One
 * subscription brings all records of a tenant, which costs the broker two commands less for each job. It
 * brings those of other submitters as well: where these are the most, each job has a subscription of its own.
 */
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { recordKey, subjects } from '../names.js';

/** Records after which those of others are counted. */
const COUNTED = 128;
/** Of these, so many of others are too many. */
const OTHERS_MAX = COUNTED / 2;
/** Jobs with a subscription each until all records of the tenant are asked for again. */
const APART = 1024;
/** A tenant without jobs for so long is listened to no more. */
const IDLE_MS = 60_000;
/** Until a subscription is ended where no job is sent, with which the word goes along. */
const LEAVE_MS = 20;

type TakeRecord = (record: Uint8Array) => void;

export interface FeedsOptions {
  /** In the subject of this submitter's notices. */
  name: string;
  onNotice(tenant: string, message: Msg): void;
}

export class Feeds {
  readonly #connection: NatsConnection;
  readonly #options: FeedsOptions;
  readonly #leaver = new Leaver();
  /** By tenant, the one first that has had no new job for the longest time. */
  readonly #feeds = new Map<string, { notices: Subscription; records: Records; usedAt: number }>();

  constructor(connection: NatsConnection, options: FeedsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Calls back with the record of a job, until the returned function is called. */
  follow(tenant: string, id: string, take: TakeRecord): () => void {
    const feed = this.#feeds.get(tenant) ?? this.#open(tenant);
    feed.usedAt = performance.now();
    this.#feeds.delete(tenant);
    this.#feeds.set(tenant, feed);
    return feed.records.follow(subjects.ended(recordKey(tenant, id)), take);
  }

  /** The broker may have denied what brings them: the tenant's next job finds out again. */
  drop(tenant: string): void {
    const feed = this.#feeds.get(tenant);
    if (feed === undefined) return;
    this.#feeds.delete(tenant);
    feed.notices.unsubscribe();
    feed.records.close();
  }

  /** Subscriptions that nothing comes for any more end now: in one write with what is sent next. */
  flush(): void {
    this.#leaver.flush();
  }

  /** Each tenant has subjects of its own, so that a submitter needs no permission for others. */
  #open(tenant: string) {
    this.#dropIdle();
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) this.#options.onNotice(tenant, message);
    };
    return {
      notices: this.#connection.subscribe(subjects.notice(tenant, this.#options.name), { callback }),
      records: new Records(this.#connection, tenant, this.#leaver),
      usedAt: 0,
    };
  }

  #dropIdle(): void {
    const until = performance.now() - IDLE_MS;
    for (const [tenant, { records, usedAt }] of this.#feeds) {
      if (usedAt > until) return;
      if (records.isIdle) this.drop(tenant);
    }
  }
}

/** Of one tenant. */
class Records {
  readonly #connection: NatsConnection;
  readonly #leaver: Leaver;
  readonly #everyRecord: string;
  /** By subject of the record. */
  readonly #takers = new Map<string, TakeRecord>();
  /** For every record of the tenant; `null`: each job has its own. */
  #all: Subscription | null = null;
  readonly #own = new Map<string, Subscription>();
  #received = 0;
  #others = 0;
  #apart = 0;

  constructor(connection: NatsConnection, tenant: string, leaver: Leaver) {
    this.#connection = connection;
    this.#leaver = leaver;
    this.#everyRecord = subjects.ended(recordKey(tenant, '*'));
    this.#all = this.#subscribe(this.#everyRecord);
  }

  get isIdle(): boolean {
    return this.#takers.size === 0;
  }

  follow(subject: string, take: TakeRecord): () => void {
    this.#takers.set(subject, take);
    if (this.#all === null && ++this.#apart > APART) this.#join();
    if (this.#all === null) this.#own.set(subject, this.#subscribe(subject));
    return () => this.#leave(subject);
  }

  close(): void {
    this.#all?.unsubscribe();
    for (const subscription of this.#own.values()) subscription.unsubscribe();
    this.#own.clear();
  }

  #leave(subject: string): void {
    this.#takers.delete(subject);
    const own = this.#own.get(subject);
    if (own === undefined) return;
    this.#own.delete(subject);
    this.#leaver.leave(own);
  }

  #subscribe(subject: string): Subscription {
    return this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) this.#onRecord(message);
      },
    });
  }

  #onRecord({ subject, data }: Msg): void {
    const take = this.#takers.get(subject);
    if (this.#all !== null) this.#count(take === undefined);
    take?.(data);
  }

  #count(isOfAnother: boolean): void {
    this.#received += 1;
    if (isOfAnother) this.#others += 1;
    if (this.#received < COUNTED) return;
    if (this.#others > OTHERS_MAX) this.#part();
    this.#received = 0;
    this.#others = 0;
  }

  /** What comes twice meanwhile is the end of one job. */
  #part(): void {
    for (const subject of this.#takers.keys()) {
      if (!this.#own.has(subject)) this.#own.set(subject, this.#subscribe(subject));
    }
    this.#all?.unsubscribe();
    this.#all = null;
    this.#apart = 0;
  }

  #join(): void {
    this.#all = this.#subscribe(this.#everyRecord);
  }
}

class Leaver {
  readonly #over: Subscription[] = [];
  #timer: NodeJS.Timeout | null = null;

  leave(subscription: Subscription): void {
    this.#over.push(subscription);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, LEAVE_MS);
  }

  flush(): void {
    for (const subscription of this.#over.splice(0)) subscription.unsubscribe();
  }
}
