/** Calls that a caller ends where core has no signal for it. */

/** Rejects with the reason of an abort; what was begun goes on unseen. For what changes nothing. */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let abort: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([work(), aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Between two of them an abort is seen. */
const SLICE_BYTES = 2 ** 18;

/** Bytes in pieces; an abort ends them with its reason. */
export async function* slicesOf(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    signal.throwIfAborted();
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}
