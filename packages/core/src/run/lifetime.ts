/** When a sandbox is closed that nobody closes: so long after it was made, or after it was last said. */
export class Lifetime {
  readonly #close: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ms: number | null = null;
  #isOver = false;

  constructor(close: () => void) {
    this.#close = close;
  }

  /** Why the sandbox is closed, when it is this; else `null`. */
  get reason(): string | null {
    return this.#isOver ? `its lifetimeMs of ${this.#ms} are over` : null;
  }

  /** From now on; `null`: no end. */
  set(ms: number | null): void {
    this.stop();
    this.#ms = ms;
    if (ms !== null) this.#timer = setTimeout(() => this.#end(), ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    this.#isOver = true;
    this.#close();
  }
}
