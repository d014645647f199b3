/**
 * Contents in the object store, each under its SHA-256: what is there is not sent again. The form is that of
 * NATS, so that its tools read it; the library's own put and get compute the hash in JavaScript (1.7 s of CPU
 * for 100 MiB, each time) and send a chunk after the other.
 */
import { randomUUID } from 'node:crypto';
import { JsHeaders } from '@nats-io/jetstream/internal';
import { headers } from '@nats-io/transport-node';
import type { BlobStore } from '../contents/store.js';
import { FILE_BUCKET } from '../names.js';
import type { Broker } from './connection.js';

const STREAM = `OBJ_${FILE_BUCKET}`;
/** Of those that the broker has not answered yet, there are some. */
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
/** Chunks that an entry names and that are not there never come, and a connection may be lost meanwhile. */
const SILENT_MS = 10_000;

export class NatsBlobStore implements BlobStore {
  readonly #broker: Broker;
  readonly #known = new Map<string, number>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  put(sha256: string, bytes: Uint8Array): Promise<void> {
    const seenAt = this.#known.get(sha256);
    const knownMs = Math.min(KNOWN_MS, this.#broker.fileMs * KNOWN_SHARE);
    if (seenAt !== undefined && performance.now() - seenAt < knownMs) return Promise.resolve();
    const known = this.#sending.get(sha256);
    if (known !== undefined) return known;
    const sending = this.#send(sha256, bytes).finally(() => this.#sending.delete(sha256));
    this.#sending.set(sha256, sending);
    return sending;
  }

  async get(sha256: string, sizeBytes: number): Promise<Uint8Array> {
    const info = await this.#broker.files.info(sha256);
    if (info === null || info.deleted) throw new Error(`the file store has no ${sha256}`);
    if (info.size !== sizeBytes) throw new Error(`the file store has another ${sha256}`);
    const bytes = Buffer.allocUnsafe(sizeBytes);
    if (sizeBytes === 0) return bytes;
    const filter = { filter_subjects: [chunkSubject(info.nuid)] };
    const consumer = await this.#broker.client.consumers.getPushConsumer(STREAM, filter);
    const chunks = await consumer.consume();
    const silence = setTimeout(() => chunks.stop(), SILENT_MS);
    let at = 0;
    try {
      for await (const { data, info: place } of chunks) {
        silence.refresh();
        if (at + data.byteLength > sizeBytes) throw new Error(`the file store has too much of ${sha256}`);
        bytes.set(data, at);
        at += data.byteLength;
        if (place.pending === 0) break;
      }
    } finally {
      clearTimeout(silence);
    }
    if (at < sizeBytes) throw new Error(`the file store has only a part of ${sha256}`);
    return bytes;
  }

  async #send(sha256: string, bytes: Uint8Array): Promise<void> {
    const info = await this.#broker.files.info(sha256);
    const isThere = info !== null && !info.deleted && info.size === bytes.byteLength;
    if (!isThere || !this.#isFresh(info.mtime)) await this.#write(sha256, bytes);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(sha256, performance.now());
  }

  #isFresh(mtime: string): boolean {
    return Date.now() - Date.parse(mtime) < this.#broker.fileMs * FRESH_SHARE;
  }

  /** Chunks, then the entry that names them: an object is there as a whole or not at all. */
  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
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
      while (next < chunks) {
        const at = next++ * max_chunk_size;
        await client.publish(chunkSubject(nuid), bytes.subarray(at, at + max_chunk_size));
      }
    };
    await Promise.all(Array.from({ length: CHUNKS_AHEAD }, send));
    const rollup = headers();
    rollup.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject);
    const subject = `$O.${FILE_BUCKET}.M.${base64(Buffer.from(sha256))}`;
    await client.publish(subject, JSON.stringify(entry), { headers: rollup });
  }
}

function chunkSubject(nuid: string): string {
  return `$O.${FILE_BUCKET}.C.${nuid}`;
}

/** As names and digests are written in an object store: URL-safe, and padded. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
