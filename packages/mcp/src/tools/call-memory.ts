/**
 * What calls under way may hold of the host's memory: captured output, and the answer that is made of it. One
 * message may bring a hundred calls, and each could bring the largest answer, or run for minutes.
 */
import { Unsent } from '@sbx/serving';

/** Of all sessions. */
export class CallMemory {
  readonly #maxBytes: number;
  readonly #room: Room;
  /** Answers that are made, and that their clients have not taken. */
  readonly unsent: Unsent;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#room = new Room(maxBytes);
    this.unsent = new Unsent(maxBytes);
  }

  /** For one session: its calls and its answers have this part at the most, which leaves room for others. */
  share(part: number): CallShare {
    const maxBytes = this.#maxBytes * part;
    const own = { room: new Room(maxBytes), unsent: new Unsent(maxBytes) };
    return new CallShare([own, { room: this.#room, unsent: this.unsent }]);
  }
}

interface Bounds {
  room: Room;
  unsent: Unsent;
}

/** Of one session. */
export class CallShare {
  /** The session's own, then those of all: who waits for the first keeps nobody else waiting. */
  readonly #bounds: readonly Bounds[];
  /** What counts answers of the session. */
  readonly unsent: readonly Unsent[];

  constructor(bounds: readonly Bounds[]) {
    this.#bounds = bounds;
    this.unsent = bounds.map(({ unsent }) => unsent);
  }

  /** `work` when there is room for `bytes`, and the answers before it are being taken. */
  async during<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (const { room, unsent } of this.#bounds) {
      await room.enter(bytes);
      await unsent.whenRoom();
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      // By then the answer has been made, and is counted where it waits for the client.
      setImmediate(() => {
        for (const { room } of this.#bounds) room.leave(bytes);
      });
    }
  }

  /** Waits while clients do not take what they were sent. */
  async whenTaken(): Promise<void> {
    for (const unsent of this.unsent) await unsent.whenRoom();
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
