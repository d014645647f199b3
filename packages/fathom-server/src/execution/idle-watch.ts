/**
 * Notices that a program waits for its client and for nothing else: its output is not taken, and it uses no
 * CPU time.
 */

/** Between two looks at the CPU time. */
const LOOK_MS = 250;
/** What a program that only waits may use in that time: threads of its runtime wake up now and then. */
const IDLE_CPU_MS = 5;

export interface IdleWatchOptions {
  cpuTimeMs(): number;
  /** It waits. `false`: ask again at the next look. */
  onIdle(): boolean;
  /** Its client has taken something; only after `onIdle` gave `true`. */
  onBusy(): void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  /** Streams whose output is not taken. */
  #blocked = 0;
  #isIdle = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  /** A stream waits for its client, or does so no more. */
  block(isBlocked: boolean): void {
    this.#blocked += isBlocked ? 1 : -1;
    if (this.#blocked > 0) return this.#watch();
    this.stop();
    if (this.#isIdle) this.#options.onBusy();
    this.#isIdle = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    if (this.#timer !== undefined || this.#isIdle) return;
    let before = this.#options.cpuTimeMs();
    this.#timer = setInterval(() => {
      const now = this.#options.cpuTimeMs();
      const isIdle = now - before <= IDLE_CPU_MS;
      before = now;
      if (!isIdle || !this.#options.onIdle()) return;
      this.#isIdle = true;
      this.stop();
    }, LOOK_MS);
  }
}
