/**
 * Contents in the bucket of files, each under its tenant and its SHA-256: what is there is not sent again. An
 * entry names the chunks, and each chunk has a subject of its own, with the tenant in it: the broker checks
 * who may read the last message of a subject, and nothing else of a stream is fenced by one. Nothing is
 * written with a rollup: with those allowed a tenant could clear the whole bucket.
 */
import { randomUUID } from 'node:crypto';
import type { StoredMsg } from '@nats-io/jetstream';
import { SbxError } from '@sbx/core';
import * as z from 'zod';
import { pause, systemClock } from '../clock.js';
import type { BlobStore, IsOver } from '../contents/store.js';
import { FILE_BUCKET, OWN_HEADER } from '../names.js';
import type { StoredBlob } from '../wire/blob.js';
import { isStoredAnswer, OWN_HEADERS, storedMessage } from './answers.js';
import type { Broker } from './connection.js';
import { untilAnswered } from './until-answered.js';

const STREAM = `OBJ_${FILE_BUCKET}`;
/** Of those that the broker has not answered yet, there are some, in both directions. */
const CHUNK_BYTES = 256 * 1024;
const CHUNKS_AHEAD = 8;
/**
 * Smaller ones, but for the last, would let a tenant keep a worker busy for long: 256 MiB by the KiB take it
 * 14 s of CPU, and again for each hash that names them and is none of theirs.
 */
const CHUNK_BYTES_MIN = 64 * 1024;
/** Names that were seen there lately need no question. */
const KNOWN_MAX = 4096;
/**
 * A name that was seen is asked for again after this, and never after so much of the time for which files are
 * kept.
 */
const KNOWN_MS = 60_000;
const KNOWN_SHARE = 0.25;
/** What is there for so much of that time is sent again: it would be gone before a job has its turn. */
const FRESH_SHARE = 0.5;
/** What came later than now by more of that time is sent again, too: one of both clocks is wrong. */
const SKEW_SHARE = 0.25;
/** How long what is not there may still come, from a server that is behind the others. */
const BEHIND_MS = 2000;
const ASK_AGAIN_MS = 100;
const UNWANTED = 'nobody wants the file any more';

const ENTRY = z.object({
  /** In the subjects of the chunks. */
  nuid: z.string().regex(/^[\w-]{1,64}$/),
  size: z.number(),
  chunkBytes: z
    .int()
    .min(CHUNK_BYTES_MIN)
    .max(2 ** 30),
  /** Read by earlier versions only. */
  mtime: z.string(),
});

type Entry = z.output<typeof ENTRY>;

export class NatsBlobStore implements BlobStore {
  readonly #broker: Broker;
  /** By entries. */
  readonly #known = new Map<string, number>();
  /** Of the connection, when they were seen: this machine may have slept since the last one. */
  #losses = 0;
  readonly #sending = new Map<string, Promise<void>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async put(tenant: string, sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const entry = entrySubject(tenant, sha256);
    this.#forgetAfterLoss();
    const seenAt = this.#known.get(entry);
    const knownMs = Math.min(KNOWN_MS, this.#broker.fileMs * KNOWN_SHARE);
    if (seenAt !== undefined && performance.now() - seenAt < knownMs) return;
    const known = this.#sending.get(entry);
    // Whoever began may have given it up.
    if (known !== undefined) return known.catch(() => this.put(tenant, sha256, bytes, isOver));
    const sending = this.#send(tenant, entry, bytes, isOver).finally(() => this.#sending.delete(entry));
    this.#sending.set(entry, sending);
    return sending;
  }

  async *read(tenant: string, blob: StoredBlob, isOver: IsOver): AsyncGenerator<Uint8Array, void> {
    const { sha256, sizeBytes } = blob;
    const subject = entrySubject(tenant, sha256);
    const entry = await this.#wait(async () => this.#entryOf(await this.#last(subject, isOver)));
    if (entry?.size !== sizeBytes) throw missing(`has no ${sha256} of ${sizeBytes} bytes of that tenant`);
    const { nuid, chunkBytes } = entry;
    yield* inOrder(Math.ceil(sizeBytes / chunkBytes), async (index) => {
      if (isOver()) throw new Error(UNWANTED);
      const chunk = await this.#wait(() => this.#last(chunkSubject(tenant, nuid, index), isOver));
      if (chunk?.data.byteLength !== Math.min(chunkBytes, sizeBytes - index * chunkBytes)) {
        throw missing(`has only a part of ${sha256}`);
      }
      return chunk.data;
    });
  }

  /** Any server that has a copy answers, and one may be behind the one that took what is asked for. */
  async #wait<Value>(ask: () => Promise<Value | null>): Promise<Value | null> {
    const until = performance.now() + BEHIND_MS;
    for (;;) {
      const value = await ask();
      if (value !== null || performance.now() > until) return value;
      await pause(systemClock, ASK_AGAIN_MS);
    }
  }

  #last(subject: string, isOver: IsOver): Promise<StoredMsg | null> {
    const { connection, manager, filesAreDirect } = this.#broker;
    const query = { last_by_subj: subject };
    return untilAnswered(connection, isOver, () => storedMessage(manager, filesAreDirect, STREAM, query));
  }

  async #send(tenant: string, subject: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const stored = await this.#last(subject, isOver);
    const isSame = isOwn(stored) && this.#entryOf(stored)?.size === bytes.byteLength;
    if (stored === null || !isSame || !this.#isFresh(stored.time)) {
      await this.#write(tenant, subject, bytes, isOver);
    }
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(subject, performance.now());
  }

  /** `null` for none. */
  #entryOf(stored: StoredMsg | null): Entry | null {
    if (stored === null || isStoredAnswer(stored.header, this.#broker.filesAreDirect)) return null;
    try {
      return ENTRY.safeParse(stored.json()).data ?? null;
    } catch {
      return null; // no JSON
    }
  }

  /** `time`: of the broker, which removes it by that; the sender's clock is nobody's business. */
  #isFresh(time: Date): boolean {
    const { fileMs } = this.#broker;
    const ageMs = Date.now() - time.getTime();
    return ageMs > -fileMs * SKEW_SHARE && ageMs < fileMs * FRESH_SHARE;
  }

  #forgetAfterLoss(): void {
    const { losses } = this.#broker.health;
    if (losses !== this.#losses) this.#known.clear();
    this.#losses = losses;
  }

  /** Chunks, then the entry that names them: a file is there as a whole or not at all. */
  async #write(tenant: string, subject: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const { client, connection } = this.#broker;
    const chunkBytes = Math.min(CHUNK_BYTES, connection.info?.max_payload ?? CHUNK_BYTES);
    const nuid = randomUUID().replaceAll('-', '');
    const publish = (to: string, data: Uint8Array | string) =>
      untilAnswered(connection, isOver, () => client.publish(to, data, { headers: OWN_HEADERS }));
    await inParallel(Math.ceil(bytes.byteLength / chunkBytes), async (index) => {
      if (isOver()) throw new Error(UNWANTED);
      const at = index * chunkBytes;
      await publish(chunkSubject(tenant, nuid, index), bytes.subarray(at, at + chunkBytes));
    });
    const mtime = new Date().toISOString();
    const entry: Entry = { nuid, size: bytes.byteLength, chunkBytes, mtime };
    await publish(subject, JSON.stringify(entry));
  }
}

/** Some at a time, in their order; no more of them when one has failed. */
async function inParallel(count: number, each: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      await each(next++).catch((error) => {
        next = count;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(CHUNKS_AHEAD, count) }, work));
}

/** What `each` gives, in order; some of it is asked for before its turn. */
async function* inOrder<Value>(count: number, each: (index: number) => Promise<Value>) {
  const asked: Promise<Value>[] = [];
  let next = 0;
  for (let taken = 0; taken < count; taken += 1) {
    while (next < count && asked.length < CHUNKS_AHEAD) {
      const one = each(next++);
      one.catch(() => undefined); // where nobody comes to take it
      asked.push(one);
    }
    yield await asked.shift()!;
  }
}

/** One of an earlier version looks like an answer without headers, and is sent again. */
function isOwn(stored: StoredMsg | null): boolean {
  return stored?.header?.has(OWN_HEADER) === true;
}

/** Versions that had all tenants' files under their hashes alone find none of the others. */
function missing(what: string): SbxError {
  const message = `The file store of the cluster ${what}: the other end may be of another version.`;
  return new SbxError({ code: 'SBX_INTERNAL', message, retryable: true });
}

function entrySubject(tenant: string, sha256: string): string {
  return `$O.${FILE_BUCKET}.M.${tenant}.${sha256}`;
}

function chunkSubject(tenant: string, nuid: string, index: number): string {
  return `$O.${FILE_BUCKET}.C.${tenant}.${nuid}.${index}`;
}
