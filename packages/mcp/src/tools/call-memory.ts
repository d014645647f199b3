/**
 * What calls under way may hold of the host's memory: captured output, and the answer that is made of it. One
 * message may bring a hundred calls, and each could bring the largest answer, or run for minutes.
 */
import type { Unsent } from '@sbx/serving';

/** Of all sessions. */
export class CallMemory {
  readonly #maxBytes: number;
  readonly #all: Room;
  /** Answers that are made, and that their clients have not taken. */
  readonly #unsent: Unsent;

  constructor(maxBytes: number, unsent: Unsent) {
    this.#maxBytes = maxBytes;
    this.#all = new Room(maxBytes);
    this.#unsent = unsent;
  }

  /** For one session: its calls have this part at the most, so that they leave room for others. */
  share(part: number): CallShare {
    return new CallShare([new Room(this.#maxBytes * part), this.#all], this.#unsent);
  }
}

/** Of one session. */
export class CallShare {
  /** To be entered one after another. */
  readonly #rooms: readonly Room[];
  readonly #unsent: Unsent;

  constructor(rooms: readonly Room[], unsent: Unsent) {
    this.#rooms = rooms;
    this.#unsent = unsent;
  }

  /** `work` when there is room for `bytes`, and the answers before it are being taken. */
  async during<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (const room of this.#rooms) await room.enter(bytes);
    try {
      await this.#unsent.whenRoom();
      signal.throwIfAborted();
      return await work();
    } finally {
      // By then the answer has been made, and is counted where it waits for the client.
      setImmediate(() => {
        for (const room of this.#rooms) room.leave(bytes);
      });
    }
  }

  /** Waits while clients do not take what they were sent. */
  whenTaken(): Promise<void> {
    return this.#unsent.whenRoom();
  }
}

/** Who finds none waits, in the order of coming; who asks for more than there is has all of it. */
class Room {
  readonly #maxBytes: number;
  readonly #waiting: { bytes: number; go(): void }[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async enter(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      return new Promise((go) => this.#waiting.push({ bytes, go }));
    }
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#bytes -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.go();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }
}
