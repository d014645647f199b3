/**
 * A stream of the caller's, chunk by chunk, that can be given up while it owes one. The iterators of Node's
 * and of Web streams do not serve for that: their `return` waits for the chunk that was asked for, and a
 * stream that never gives one is never told.
 */
export class ChunkSource<T> {
  readonly #source: AsyncIterable<T>;
  #iterator: AsyncIterator<T> | null = null;
  #isPending = false;
  #isOver = false;

  constructor(source: AsyncIterable<T>) {
    this.#source = source;
  }

  /** Rejects with what the source throws. */
  async next(): Promise<IteratorResult<T>> {
    this.#isPending = true;
    try {
      this.#iterator ??= iteratorOf(this.#source);
      const next = await this.#iterator.next();
      this.#isOver = next.done === true;
      return next;
    } catch (error) {
      this.#isOver = true;
      throw error;
    } finally {
      this.#isPending = false;
    }
  }

  /** Nothing more is taken: a stream is destroyed or cancelled, a generator is told, now or at its chunk. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { destroy } = this.#source as { destroy?: unknown };
    if (this.#isPending && typeof destroy === 'function') return void destroy.call(this.#source);
    const closing = this.#iterator?.return?.();
    if (!this.#isPending) await closing;
    else void closing?.catch(() => undefined); // it may never be at its chunk
  }
}

function iteratorOf<T>(source: AsyncIterable<T>): AsyncIterator<T> {
  return isWebStream(source) ? readerOf(source) : source[Symbol.asyncIterator]();
}

function isWebStream<T>(source: AsyncIterable<T>): source is AsyncIterable<T> & ReadableStream<T> {
  return typeof (source as { getReader?: unknown }).getReader === 'function';
}

function readerOf<T>(stream: ReadableStream<T>): AsyncIterator<T> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const next = await reader.read();
      if (next.done) reader.releaseLock();
      return next as IteratorResult<T>;
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
