/**
 * What is being received, over all connections: bodies and messages that have not come whole. Each has a
 * bound of its own, and many that stay half-sent would still be more than the server has.
 */

/** Bytes of requests under way. */
export class Receiving {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False, and nothing counted, when there is no room. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
