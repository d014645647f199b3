/**
 * What calls under way may hold of the host's memory: captured output, and the answer that is made of it. One
 * message may bring a hundred calls, and each could bring the largest answer, or run for minutes.
 */
import { Unsent } from '@sbx/serving';

/** The body that a call came in. */
export interface CountedBody {
  /** It stays counted until what is returned was called, also when its connection has gone. */
  use(): () => void;
}

/** Of the protocol's `ServerContext`. */
export interface Caller {
  mcpReq: { signal: AbortSignal };
  http?: { req?: Request | undefined } | undefined;
}

/** Of all sessions. */
export class CallMemory {
  readonly #maxBytes: number;
  readonly #room: Room;
  /** Answers that are made, and that their clients have not taken. */
  readonly unsent: Unsent;
  /** Of requests that are being answered: their calls hold what they were given. */
  readonly bodies = new WeakMap<Request, CountedBody>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#room = new Room(maxBytes);
    this.unsent = new Unsent(maxBytes);
  }

  /** For one session: its calls and its answers have this part at the most, which leaves room for others. */
  share(part: number): CallShare {
    const maxBytes = this.#maxBytes * part;
    const own = { room: new Room(maxBytes), unsent: new Unsent(maxBytes) };
    return new CallShare([own, { room: this.#room, unsent: this.unsent }], this.bodies);
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
  readonly #bodies: WeakMap<Request, CountedBody>;

  constructor(bounds: readonly Bounds[], bodies: WeakMap<Request, CountedBody>) {
    this.#bounds = bounds;
    this.#bodies = bodies;
    this.unsent = bounds.map(({ unsent }) => unsent);
  }

  /**
   * `work` when there is room for `bytes`, and the answers before it are being taken. Rejects when the caller
   * gives up before.
   */
  async during<T>(bytes: number, { mcpReq: { signal }, http }: Caller, work: () => Promise<T>): Promise<T> {
    const body = http?.req === undefined ? undefined : this.#bodies.get(http.req);
    const leaveBody = body?.use();
    const entered: Room[] = [];
    try {
      for (const { room, unsent } of this.#bounds) {
        await room.enter(bytes, signal);
        entered.push(room);
        await unsent.whenRoom();
      }
      signal.throwIfAborted();
      return await work();
    } finally {
      // By then the answer has been made, and is counted where it waits for the client.
      setImmediate(() => {
        for (const room of entered) room.leave(bytes);
        leaveBody?.();
      });
    }
  }

  /** Waits while clients do not take what they were sent. */
  async whenTaken(): Promise<void> {
    for (const unsent of this.unsent) await unsent.whenRoom();
  }
}

interface Waiter {
  bytes: number;
  go(): void;
}

/** Who finds none waits, in the order of coming; who asks for more than there is has all of it. */
class Room {
  readonly #maxBytes: number;
  readonly #waiting = new Set<Waiter>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Rejects, and waits no more, when `signal` aborts before there is room. */
  async enter(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || !this.#fits(bytes)) return this.#wait(bytes, signal);
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#bytes -= bytes;
    this.#admit();
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
        this.#admit(); // it may have been the first, and the next may be smaller
      };
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiter = { bytes, go };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.bytes)) return;
      this.#waiting.delete(waiter);
      this.#bytes += waiter.bytes;
      waiter.go();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }
}
