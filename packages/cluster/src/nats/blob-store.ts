/**
 * Contents in the object store, each under its SHA-256: what is there is not sent again. The form is that of
 * NATS, so that its tools read it; the library's own put and get compute the hash in JavaScript (1.7 s of CPU
 * for 100 MiB, each time) and send a chunk after the other. What is read needs no consumer: who may make one
 * can have it deliver to the subjects of other tenants. Entries are written without a rollup: the last one
 * holds all the same, and with rollups allowed a tenant could clear the whole bucket.
 */
import { randomUUID } from 'node:crypto';
import type { DirectMsgRequest, MsgRequest, StoredMsg } from '@nats-io/jetstream';
import * as z from 'zod';
import { pause, systemClock } from '../clock.js';
import type { BlobStore, IsOver } from '../contents/store.js';
import { FILE_BUCKET } from '../names.js';
import type { Broker } from './connection.js';
import { untilAnswered } from './until-answered.js';

const STREAM = `OBJ_${FILE_BUCKET}`;
/** Of those that the broker has not answered yet, there are some, in both directions. */
const CHUNK_BYTES = 256 * 1024;
const CHUNKS_AHEAD = 8;
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
/** How long what is not there may still come, from a server that is behind the others. */
const BEHIND_MS = 2000;
const ASK_AGAIN_MS = 100;
const UNWANTED = 'nobody wants the file any more';

/** What is read of an entry; there is more in it. */
const ENTRY = z.object({
  nuid: z.string().regex(/^[\w-]{1,64}$/),
  size: z.number(),
  mtime: z.string().default(''),
  deleted: z.boolean().optional(),
});

type Entry = z.output<typeof ENTRY>;

export class NatsBlobStore implements BlobStore {
  readonly #broker: Broker;
  readonly #known = new Map<string, number>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async put(sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const seenAt = this.#known.get(sha256);
    const knownMs = Math.min(KNOWN_MS, this.#broker.fileMs * KNOWN_SHARE);
    if (seenAt !== undefined && performance.now() - seenAt < knownMs) return;
    const known = this.#sending.get(sha256);
    // Whoever began may have given it up.
    if (known !== undefined) return known.catch(() => this.put(sha256, bytes, isOver));
    const sending = this.#send(sha256, bytes, isOver).finally(() => this.#sending.delete(sha256));
    this.#sending.set(sha256, sending);
    return sending;
  }

  async get(sha256: string, sizeBytes: number, isOver: IsOver): Promise<Uint8Array> {
    const entry = await this.#wait(() => this.#entry(sha256, isOver));
    if (entry === null) throw new Error(`the file store has no ${sha256}`);
    if (entry.size !== sizeBytes) throw new Error(`the file store has another ${sha256}`);
    const bytes = Buffer.allocUnsafe(sizeBytes);
    let at = 0;
    for await (const data of this.#chunks(entry.nuid, sizeBytes, isOver)) {
      if (isOver()) throw new Error(UNWANTED);
      if (at + data.byteLength > sizeBytes) throw new Error(`the file store has too much of ${sha256}`);
      bytes.set(data, at);
      at += data.byteLength;
      if (at === sizeBytes) break;
    }
    if (at < sizeBytes) throw new Error(`the file store has only a part of ${sha256}`);
    return bytes;
  }

  /**
   * In their order, until one is missing. The broker gives the first one from a place in the stream on. Where
   * they lie evenly, as those of a file that was sent alone do, the next ones are asked for while one comes.
   */
  async *#chunks(nuid: string, sizeBytes: number, isOver: IsOver): AsyncGenerator<Uint8Array, void> {
    const next_by_subj = chunkSubject(nuid);
    const ask = (seq: number) => {
      const answer = this.#stored({ next_by_subj, seq }, isOver);
      answer.catch(() => undefined); // it may be needed no more
      return { seq, answer };
    };
    let asked = [ask(1)];
    let last = { seq: 0, distance: 0 };
    for (let got = 0; ; ) {
      const { seq, answer } = asked.shift()!;
      const chunk = (await answer) ?? (await this.#wait(() => this.#stored({ next_by_subj, seq }, isOver)));
      if (chunk === null) return;
      yield chunk.data;
      got += chunk.data.byteLength;
      const distance = chunk.seq - last.seq;
      const isEven = distance === last.distance;
      last = { seq: chunk.seq, distance };
      if (!isEven || asked[0]?.seq !== chunk.seq + 1) asked = [ask(chunk.seq + 1)];
      const left = isEven ? (sizeBytes - got) / Math.max(1, chunk.data.byteLength) : 0;
      while (asked.length < Math.min(CHUNKS_AHEAD, left)) asked.push(ask(asked.at(-1)!.seq + distance));
    }
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

  async #entry(sha256: string, isOver: IsOver): Promise<Entry | null> {
    const stored = await this.#stored({ last_by_subj: entrySubject(sha256) }, isOver);
    const parsed = ENTRY.safeParse(stored?.json());
    return parsed.success && parsed.data.deleted !== true ? parsed.data : null;
  }

  #stored(query: DirectMsgRequest, isOver: IsOver): Promise<StoredMsg | null> {
    const { connection, manager, filesAreDirect } = this.#broker;
    return untilAnswered(
      connection,
      isOver,
      () =>
        filesAreDirect
          ? manager.direct.getMessage(STREAM, query)
          : manager.streams.getMessage(STREAM, query as MsgRequest), // which takes the same
    );
  }

  async #send(sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const entry = await this.#entry(sha256, isOver);
    const isThere = entry?.size === bytes.byteLength;
    if (!isThere || !this.#isFresh(entry.mtime)) {
      const { connection } = this.#broker;
      await untilAnswered(connection, isOver, () => this.#write(sha256, bytes, isOver));
    }
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(sha256, performance.now());
  }

  #isFresh(mtime: string): boolean {
    return Date.now() - Date.parse(mtime) < this.#broker.fileMs * FRESH_SHARE;
  }

  /**
   * Chunks, then the entry that names them: an object is there as a whole or not at all. They lie in the
   * order in which they are sent, so that one that is lost is not sent again: all are, under another name.
   */
  async #write(sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void> {
    const { client, connection } = this.#broker;
    const max_chunk_size = Math.min(CHUNK_BYTES, connection.info?.max_payload ?? CHUNK_BYTES);
    const nuid = randomUUID().replaceAll('-', '');
    const chunks = Math.ceil(bytes.byteLength / max_chunk_size);
    const entry = {
      name: sha256,
      bucket: FILE_BUCKET,
      nuid,
      size: bytes.byteLength,
      chunks,
      digest: `SHA-256=${base64(Buffer.from(sha256, 'hex'))}`,
      mtime: new Date().toISOString(),
      options: { max_chunk_size },
    };
    let next = 0;
    const send = async () => {
      try {
        while (next < chunks) {
          if (isOver()) throw new Error(UNWANTED);
          const at = next++ * max_chunk_size;
          await client.publish(chunkSubject(nuid), bytes.subarray(at, at + max_chunk_size));
        }
      } catch (error) {
        next = chunks; // none of them is of use any more
        throw error;
      }
    };
    await Promise.all(Array.from({ length: CHUNKS_AHEAD }, send));
    await client.publish(entrySubject(sha256), JSON.stringify(entry));
  }
}

function entrySubject(sha256: string): string {
  return `$O.${FILE_BUCKET}.M.${base64(Buffer.from(sha256))}`;
}

function chunkSubject(nuid: string): string {
  return `$O.${FILE_BUCKET}.C.${nuid}`;
}

/** As names and digests are written in an object store: URL-safe, and padded. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
