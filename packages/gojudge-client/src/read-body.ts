/** Bodies of answers, up to a bound. */
import { textHasMoreValues } from '@sbx/shared';

/** Of a refusal, and of what tells of the server: none of a go-judge comes near. */
export const SMALL_BYTES_MAX = 65_536;

/** Of JSON, in one answer: a list of half a million files. */
const VALUES_MAX = 2 ** 20;

const decoder = new TextDecoder();

/** As UTF-8. */
export function textFrom(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** `undefined` for what is none, and for more values than any go-judge sends. */
export function jsonOf(text: string): unknown {
  if (textHasMoreValues(text, VALUES_MAX)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * At most one byte more than `bytesMax`, for its reader to see that there was more. In one buffer: a server
 * may send a byte at a time, and each chunk costs more than that.
 */
export async function readUpTo(bytesMax: number, { body }: Response): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  let length = 0;
  for await (const chunk of iterate(body ?? [])) {
    const start = length;
    length = Math.min(start + chunk.byteLength, bytesMax + 1);
    if (length > bytes.byteLength) {
      const larger = new Uint8Array(Math.max(length, 2 * start));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(chunk.subarray(0, length - start), start);
    if (length > bytesMax) break;
  }
  return bytes.slice(0, length);
}

/** Streams of some browsers cannot be iterated. One that is left early is cancelled. */
export async function* iterate(
  content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
) {
  if (Symbol.asyncIterator in content || Symbol.iterator in content) return yield* content;
  const reader = (content as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
    reader.releaseLock();
  }
}
