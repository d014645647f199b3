/** Large responses, chunk by chunk. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BufferPool } from '../../wire/bytes.js';
import type { Chunks } from '../../wire/results.js';

/**
 * Where they go; a `ServerResponse` is one. `close` comes when the client has gone, or the kernel has all of
 * it.
 */
export interface ChunkSink {
  write(chunk: Uint8Array, written: () => void): unknown;
  end(): unknown;
  once(event: 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/**
 * The next chunk is encoded only when the client has received the one before, and other requests run in
 * between. Two buffers take turns: one buffer per chunk would be as much memory as the response, for the
 * kernel to clear and for V8 to collect.
 */
export async function sendChunks(sink: ChunkSink, chunks: Chunks): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    sink.once('close', resolve);
  });
  let before: Promise<void> | undefined;
  for (const chunk of chunks(twoBuffers())) {
    const written = new Promise<void>((resolve) => {
      sink.write(chunk, () => resolve()); // an error as well: the client is gone then
    });
    await Promise.race([before, closed]);
    await nextTurn();
    if (sink.destroyed) return;
    before = written;
  }
  sink.end();
  await closed;
}

/**
 * Two buffers that take turns: a buffer is free again when the chunk in it has been written and the next one
 * has been requested.
 */
function twoBuffers(): BufferPool {
  const buffers: Buffer[] = [];
  let turn = 0;
  return (bytes) => {
    turn = 1 - turn;
    const buffer = buffers[turn];
    if (buffer !== undefined && buffer.length >= bytes) return buffer.subarray(0, bytes);
    const made = Buffer.allocUnsafe(bytes);
    buffers[turn] = made;
    return made;
  };
}
