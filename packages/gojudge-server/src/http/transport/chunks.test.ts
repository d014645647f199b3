// Large responses into a sink whose client takes chunks when the test says so.
import { expect, test } from 'vitest';
import { type ChunkSink, sendChunks } from './chunks.js';

function sinkOf() {
  const taken: (() => void)[] = [];
  const chunks: Buffer[] = [];
  let close: () => void = () => undefined;
  const sink = {
    destroyed: false,
    ended: false,
    write: (chunk: Uint8Array, written: () => void) => {
      chunks.push(chunk as Buffer);
      taken.push(written);
    },
    end() {
      this.ended = true;
    },
    once: (_event: 'close', listener: () => void) => {
      close = listener;
    },
  };
  return { sink: sink as typeof sink & ChunkSink, taken, chunks, close: () => close() };
}

const turn = async () => {
  for (let at = 0; at < 3; at += 1) await new Promise(setImmediate);
};

/** `count` chunks, each of one byte, and how many have been encoded. */
function encoder(count: number) {
  const state = { encoded: 0, buffers: new Set<ArrayBufferLike>() };
  function* chunks(buffer: (bytes: number) => Buffer) {
    for (let at = 0; at < count; at += 1) {
      state.encoded += 1;
      const chunk = buffer(64 * 1024);
      state.buffers.add(chunk.buffer);
      yield chunk.fill(at);
    }
  }
  return { state, chunks };
}

test('a chunk is encoded when the client has the one before the last, into two buffers in turn', async () => {
  const { sink, taken, close } = sinkOf();
  const { state, chunks } = encoder(4);
  const sending = sendChunks(sink, chunks as never);
  await turn();
  expect([state.encoded, sink.ended]).toEqual([2, false]);
  taken[0]!();
  await turn();
  expect(state.encoded).toBe(3);
  taken[1]!();
  taken[2]!();
  await turn();
  expect([state.encoded, sink.ended, state.buffers.size]).toEqual([4, true, 2]);
  close();
  await sending;
});

test('nothing more is encoded for a client that has gone', async () => {
  const { sink, close } = sinkOf();
  const { state, chunks } = encoder(9);
  const sending = sendChunks(sink, chunks as never);
  await turn();
  sink.destroyed = true;
  close();
  await sending;
  expect([state.encoded, sink.ended]).toEqual([2, false]);
});
