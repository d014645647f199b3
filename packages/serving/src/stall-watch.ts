/** Peers that take nothing of what is sent to them: it is in memory until they do. */

/** What Node knows of bytes on their way. */
export interface Sending {
  /** Missing on a closed socket. */
  bytesWritten?: number | undefined;
  writableLength: number;
  _handle?: { writeQueueSize?: number } | null;
}

/** How far a connection has come, in bytes. */
export interface Sent {
  /** Of messages that have left whole. */
  left: number;
  /** Still to go of the one that is leaving. */
  queued: number;
}

/**
 * Changes whenever the kernel takes a byte, not only when a whole message has left; and only then: what is
 * added meanwhile, our own pings above all, is no progress of the peer's.
 */
export function sentOver({ bytesWritten = 0, writableLength, _handle: handle }: Sending): Sent {
  return { left: bytesWritten - writableLength, queued: handle?.writeQueueSize ?? 0 };
}

/** Bytes that the kernel took between two looks, by messages that left whole or by parts of one. */
export function takenSince({ left, queued }: Sent, now: Sent): number {
  return now.left > left ? now.left - left : Math.max(0, queued - now.queued);
}

export interface StallOptions {
  /** Where it goes; none once that is gone. */
  connection: () => Sending | null | undefined;
  /** Something is to be taken. */
  isWaiting: () => boolean;
  /** Without any progress for so long meanwhile, the peer counts as gone. */
  stallMs: number;
  onStall: () => void;
  /** The peer has taken something. */
  onProgress: () => void;
}

const CHECKS_PER_STALL = 10;
const NOTHING: Sending = { writableLength: 0 };

export class StallWatch {
  readonly #options: StallOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: StallOptions) {
    this.#options = options;
  }

  /** Looks from now on, for as long as something waits. To be called whenever that may begin. */
  watch(): void {
    const { connection, stallMs, isWaiting, onStall, onProgress } = this.#options;
    if (this.#isStopped || this.#timer !== undefined || !isWaiting()) return;
    let left = CHECKS_PER_STALL;
    const sent = () => sentOver(connection() ?? NOTHING);
    let before = sent();
    this.#timer = setInterval(() => {
      const now = sent();
      const hasTaken = now.left !== before.left || now.queued !== before.queued;
      left = hasTaken ? CHECKS_PER_STALL : left - 1;
      if (hasTaken) onProgress();
      before = now;
      if (left === 0) onStall();
      if (left === 0 || !isWaiting()) this.#rest();
    }, stallMs / CHECKS_PER_STALL).unref();
  }

  /** For good: what is sent to a connection that has gone counts as waiting with `ws`, and is never taken. */
  stop(): void {
    this.#isStopped = true;
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
