/**
 * Who works: each worker says so again and again, to all who listen, and a bucket keeps its last word for
 * those who come later, until it is too old.
 */
import type { StoredMsg } from '@nats-io/jetstream';
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';
import { pause, systemClock } from '../clock.js';
import { OWN_HEADER, WORKER_BUCKET } from '../names.js';
import {
  ANNOUNCEMENT_BYTES_MAX,
  decodeAnnouncement,
  encodeAnnouncement,
  placesOf,
  type WorkerDescription,
} from '../wire/announcement.js';
import { isSent, isStoredAnswer, OWN_HEADERS, storedMessage } from './answers.js';
import type { Broker } from './connection.js';
import { deniedBy } from './denials.js';
import { PRESENCE_MS } from './places.js';

const STREAM = `KV_${WORKER_BUCKET}`;
const RENEW_MS = PRESENCE_MS / 3;
/** How long a newcomer reads what the bucket has: those that it does not come to tell of themselves anew. */
const KNOWN_MS = 2000;
/** Until places are counted again, although no worker has told of others: one may have gone silent. */
const PLACES_MS = 1000;
/** Of all announcements that are kept: those of 8,000 workers as they are. More are passed over. */
const BYTES_MAX = 48 * 2 ** 20;
/** What a row of a root takes here: three bytes can say that there is one. */
const ROW_BYTES = 64;
/** A worker that takes its announcement back; as a bucket's `delete` writes it. */
const OPERATION_HEADER = 'KV-Operation';
const WITHDRAWN = headers();
WITHDRAWN.set(OWN_HEADER, '1');
WITHDRAWN.set(OPERATION_HEADER, 'DEL');

/** A worker that is announced, again and again. */
export interface Presence {
  /** At once, as something has changed that others should know soon. */
  announce(): void;
  /** Takes it back. */
  withdraw(): Promise<void>;
}

export function openPresence({ asks }: Pick<Broker, 'asks'>, describe: () => WorkerDescription): Presence {
  const first = describe();
  const { byteLength } = encodeAnnouncement(first);
  if (byteLength > ANNOUNCEMENT_BYTES_MAX) throw tooLarge(byteLength);
  const subject = subjectOf(first.name);
  // The next one comes.
  const put = () =>
    void asks.publish(subject, encodeAnnouncement(describe()), OWN_HEADERS).catch(() => undefined);
  put();
  const timer = setInterval(put, RENEW_MS);
  return {
    announce: put,
    async withdraw() {
      clearInterval(timer);
      await asks.publish(subject, new Uint8Array(), WITHDRAWN).catch(() => undefined); // then it goes by itself
    },
  };
}

/** What a list needs of it. */
export interface PresenceBroker {
  connection: Pick<NatsConnection, 'subscribe' | 'flush'>;
  manager: Pick<Broker['manager'], 'direct' | 'streams'>;
  workersAreDirect: boolean;
}

interface Heard {
  announcement: WorkerDescription;
  heardAt: number;
  bytes: number;
}

/** The workers that announced themselves lately. */
export class WorkerList {
  readonly #workers = new Map<string, Heard>();
  /** In the order of `all`; `null` since one came or went. */
  #inOrder: Heard[] | null = null;
  readonly #onChange: () => void;
  #bytes = 0;
  #counted: { places: number; at: number } | null = null;
  #stop: () => void = () => undefined;

  private constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Resolves when those that are there now are known. Rejects when the broker does not answer, or does not
   * let this user listen.
   */
  static async open(broker: PresenceBroker, onChange: () => void): Promise<WorkerList> {
    const list = new WorkerList(onChange);
    await list.#listen(broker.connection);
    const known = new AbortController();
    try {
      await Promise.race([list.#read(broker), pause(systemClock, KNOWN_MS, known.signal)]);
    } catch (error) {
      if (deniedBy(error) === null) return list; // as a connection that was lost meanwhile: they tell again
      list.close();
      throw error;
    } finally {
      known.abort();
    }
    return list;
  }

  /** By host, and by name on the same host. */
  all(): WorkerDescription[] {
    this.#inOrder ??= [...this.#workers.values()].sort(byHostAndName);
    return lately(this.#inOrder);
  }

  /** As they came: newcomers change the order of all, and it is not asked for each time. */
  unordered(): WorkerDescription[] {
    return lately([...this.#workers.values()]);
  }

  /** Of all of them; asked for several times for each job, so it is not counted anew each time. */
  get places(): number {
    const now = performance.now();
    if (this.#counted === null || now - this.#counted.at >= PLACES_MS) {
      this.#counted = { places: placesOf(this.unordered()), at: now };
    }
    return this.#counted.places;
  }

  close(): void {
    this.#stop();
  }

  /** Before it reads, so that it misses nobody. After a lost connection the library listens again. */
  async #listen(connection: PresenceBroker['connection']): Promise<void> {
    let denied: Error | null = null;
    const subscription = connection.subscribe(subjectOf('*'), {
      callback: (error, message) => {
        if (error !== null) denied = error;
        else this.#onMessage(message);
      },
    });
    this.#stop = () => subscription.unsubscribe();
    await connection.flush(); // what the broker has against it comes first
    if (denied !== null) throw denied;
  }

  #onMessage({ subject, headers, data }: Msg): void {
    if (!isSent(headers)) return;
    this.#hear(nameIn(subject), headers?.has(OPERATION_HEADER) ? null : data);
  }

  /** One after the other: servers before 2.11 give no more than one at a time. */
  async #read({ manager, workersAreDirect }: PresenceBroker): Promise<void> {
    const until = performance.now() + KNOWN_MS;
    for (let seq = 1; performance.now() < until; ) {
      const query = { seq, next_by_subj: subjectOf('*') };
      const stored = await storedMessage(manager, workersAreDirect, STREAM, query);
      if (stored === null) return;
      seq = stored.seq + 1;
      if (!isAnnouncement(stored, workersAreDirect)) continue;
      const name = nameIn(stored.subject);
      if (!this.#workers.has(name)) this.#hear(name, stored.data); // else it has told of itself since
    }
  }

  /** `null`: it takes it back. */
  #hear(key: string, value: Uint8Array | null): void {
    const announcement = value && decodeAnnouncement(value);
    const known = this.#workers.get(key);
    const before = known?.announcement;
    const bytes = (value?.byteLength ?? 0) + (announcement?.info.mounts.length ?? 0) * ROW_BYTES;
    const isFull = this.#bytes - (known?.bytes ?? 0) + bytes > BYTES_MAX;
    if (announcement?.name !== key || isFull) this.#forget(key);
    else {
      this.#bytes += bytes - (known?.bytes ?? 0);
      const heard = { announcement, heardAt: performance.now(), bytes };
      if (known !== undefined && before?.host === announcement.host) Object.assign(known, heard);
      else this.#place(key, heard);
    }
    if (before?.slots !== announcement?.slots || before?.isDraining !== announcement?.isDraining) {
      this.#counted = null;
    }
    this.#onChange();
  }

  #place(name: string, heard: Heard): void {
    this.#workers.set(name, heard);
    this.#inOrder = null;
  }

  #forget(name: string): void {
    this.#bytes -= this.#workers.get(name)?.bytes ?? 0;
    if (this.#workers.delete(name)) this.#inOrder = null;
  }
}

function tooLarge(bytes: number): InvalidOptionsError {
  const expected = `must make an announcement of at most ${ANNOUNCEMENT_BYTES_MAX} bytes`;
  const hint = 'It has the labels, the languages and the mounts of the engine: give fewer of them.';
  return new InvalidOptionsError({ field: 'options', rule: 'size', expected, got: `${bytes} bytes`, hint });
}

/** Those that announced themselves in the last time for which announcements hold. */
function lately(heard: readonly Heard[]): WorkerDescription[] {
  const since = performance.now() - PRESENCE_MS;
  return heard.flatMap(({ announcement, heardAt }) => (heardAt >= since ? [announcement] : []));
}

function byHostAndName({ announcement: a }: Heard, { announcement: b }: Heard): number {
  if (a.host !== b.host) return a.host < b.host ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Where the worker of that name announces itself. */
function subjectOf(name: string): string {
  return `$KV.${WORKER_BUCKET}.${name}`;
}

function nameIn(subject: string): string {
  return subject.slice(subjectOf('').length);
}

/** None that was taken back, and none that came there as an answer to somebody's question. */
function isAnnouncement({ header }: StoredMsg, isDirect: boolean): boolean {
  return header.has(OWN_HEADER) && !header.has(OPERATION_HEADER) && !isStoredAnswer(header, isDirect);
}
