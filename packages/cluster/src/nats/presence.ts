/** Who works: announcements in a bucket whose entries go by themselves when they are not renewed. */
import type { KV } from '@nats-io/kv';
import { InvalidOptionsError } from '@sbx/core';
import { pause, systemClock } from '../clock.js';
import {
  ANNOUNCEMENT_BYTES_MAX,
  decodeAnnouncement,
  encodeAnnouncement,
  placesOf,
  type WorkerDescription,
} from '../wire/announcement.js';
import type { Broker } from './connection.js';
import { PRESENCE_MS } from './places.js';

const RENEW_MS = PRESENCE_MS / 3;
/** Until the list counts as known, although fewer announcements came than there were. */
const KNOWN_MS = 2000;
/** Until places are counted again, although no worker has told of others: one may have gone silent. */
const PLACES_MS = 1000;
/**
 * A watch that brings nothing for so long, although workers were there, is opened again. When the connection
 * is lost while the broker waits for word that its messages were taken, it waits for ever, and the library
 * does not answer its reminders.
 */
const SILENT_MS = 2 * RENEW_MS;
/** Of all announcements that are kept: those of 8,000 workers as they are. More are passed over. */
const BYTES_MAX = 48 * 2 ** 20;
/** What a row of a root takes here: three bytes can say that there is one. */
const ROW_BYTES = 64;
/** Until a watch that ended is opened again. */
const RETRY_MS = 1000;

type Entries = Awaited<ReturnType<KV['watch']>>;

/** A worker that is announced, again and again. */
export interface Presence {
  /** At once, as something has changed that others should know soon. */
  announce(): void;
  /** Takes it back. */
  withdraw(): Promise<void>;
}

export function openPresence({ workers }: Broker, describe: () => WorkerDescription): Presence {
  const first = describe();
  const { name } = first;
  const { byteLength } = encodeAnnouncement(first);
  if (byteLength > ANNOUNCEMENT_BYTES_MAX) throw tooLarge(byteLength);
  // The next one comes.
  const put = () => void workers.put(name, encodeAnnouncement(describe())).catch(() => undefined);
  put();
  const timer = setInterval(put, RENEW_MS);
  return {
    announce: put,
    async withdraw() {
      clearInterval(timer);
      await workers.delete(name).catch(() => undefined); // then it goes by itself
    },
  };
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
  readonly #closed = new AbortController();
  readonly #onChange: () => void;
  #bytes = 0;
  /** The last announcement, or the begin of the watch. */
  #heardAt = 0;
  #counted: { places: number; at: number } | null = null;

  private constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Resolves when those that are there now are known. Rejects when the broker does not answer. */
  static async open({ workers }: Pick<Broker, 'workers'>, onChange: () => void): Promise<WorkerList> {
    const list = new WorkerList(onChange);
    const known = new AbortController();
    const status = await workers.status();
    const entries = await workers.watch();
    void list.#follow(workers, entries, () => known.abort());
    // Announcements that ended after they were counted never come, so the list is also known after a while.
    if (status.values > 0) await pause(systemClock, KNOWN_MS, known.signal);
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
    this.#closed.abort();
  }

  /**
   * The library ends a watch, or throws, when its consumer cannot be made again: a new one is opened until
   * the list is closed.
   */
  async #follow(workers: KV, first: Entries, setKnown: () => void): Promise<void> {
    const { signal } = this.#closed;
    for (let entries: Entries | null = first; !signal.aborted; ) {
      if (entries !== null) await this.#read(entries, setKnown).catch(() => undefined); // watched anew below
      await pause(systemClock, RETRY_MS, signal);
      if (signal.aborted) return;
      entries = await workers.watch().catch(() => null); // the broker is gone
    }
  }

  async #read(entries: Entries, setKnown: () => void): Promise<void> {
    const { signal } = this.#closed;
    const stop = () => entries.stop();
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#heardAt = performance.now();
    const timer = setInterval(() => this.#isSilent() && stop(), RETRY_MS);
    try {
      for await (const { key, value, operation, delta } of entries) {
        this.#hear(key, operation === 'PUT' ? value : null);
        if (delta === 0) setKnown();
      }
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Those that are gone for good are none to wait for. */
  #isSilent(): boolean {
    const now = performance.now();
    for (const [name, { heardAt }] of this.#workers) {
      if (now - heardAt > 2 * PRESENCE_MS) this.#forget(name);
    }
    return this.#workers.size > 0 && now - this.#heardAt > SILENT_MS;
  }

  #hear(key: string, value: Uint8Array | null): void {
    this.#heardAt = performance.now();
    const announcement = value && decodeAnnouncement(value);
    const known = this.#workers.get(key);
    const before = known?.announcement;
    const bytes = (value?.byteLength ?? 0) + (announcement?.info.mounts.length ?? 0) * ROW_BYTES;
    const isFull = this.#bytes - (known?.bytes ?? 0) + bytes > BYTES_MAX;
    if (announcement?.name !== key || isFull) this.#forget(key);
    else {
      this.#bytes += bytes - (known?.bytes ?? 0);
      const heard = { announcement, heardAt: this.#heardAt, bytes };
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
