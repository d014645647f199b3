/**
 * What calls under way may hold of the host's memory, over all sessions: captured output, and the answer that
 * is made of it. One message may bring a hundred calls, and each could bring the largest answer.
 */
import type { Unsent } from '@sbx/serving';

interface Waiting {
  bytes: number;
  go(): void;
}

export class CallMemory {
  readonly #maxBytes: number;
  /** Answers that are made, and that their clients have not taken. */
  readonly #unsent: Unsent;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;

  constructor(maxBytes: number, unsent: Unsent) {
    this.#maxBytes = maxBytes;
    this.#unsent = unsent;
  }

  /**
   * `work` when there is room for `bytes`, and the answers before it are being taken. Calls wait in the order
   * in which they came; one that asks for more than there is runs alone.
   */
  async during<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) await this.#turn(bytes);
    else this.#bytes += bytes;
    try {
      await this.#unsent.whenRoom();
      signal.throwIfAborted();
      return await work();
    } finally {
      // By then the answer has been made, and is counted where it waits for the client.
      setImmediate(() => this.#release(bytes));
    }
  }

  /** Waits while clients do not take what they were sent. */
  whenTaken(): Promise<void> {
    return this.#unsent.whenRoom();
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }

  #turn(bytes: number): Promise<void> {
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  #release(bytes: number): void {
    this.#bytes -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.go();
    }
  }
}
