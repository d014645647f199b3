/** Peers that take nothing of what is sent to them: it is in memory until they do. */

/** What Node knows of bytes on their way. */
export interface Sending {
  bytesWritten: number;
  writableLength: number;
  _handle?: { writeQueueSize?: number } | null;
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

export class StallWatch {
  readonly #options: StallOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StallOptions) {
    this.#options = options;
  }

  /** Looks from now on, for as long as something waits. To be called whenever that may begin. */
  watch(): void {
    const { stallMs, isWaiting, onStall, onProgress } = this.#options;
    if (this.#timer !== undefined || !isWaiting()) return;
    let left = CHECKS_PER_STALL;
    let before = this.#taken();
    this.#timer = setInterval(() => {
      const now = this.#taken();
      left = now === before ? left - 1 : CHECKS_PER_STALL;
      if (now !== before) onProgress();
      before = now;
      if (left === 0) onStall();
      if (left === 0 || !isWaiting()) this.stop();
    }, stallMs / CHECKS_PER_STALL).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Changes whenever the kernel takes a byte, not only when a whole message has left; and only then: what is
   * added meanwhile, our own pings above all, is no progress of the peer's.
   */
  #taken(): string {
    const { bytesWritten = 0, writableLength = 0, _handle: handle } = this.#options.connection() ?? {};
    return `${bytesWritten - writableLength}:${handle?.writeQueueSize ?? 0}`;
  }
}
