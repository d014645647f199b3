/** Output that waits to be read. Bounded: a program can print for as long as its limits let it. */

/** Above this the connection is asked to wait, where it can. */
const WAITING_BYTES_HIGH = 1024 * 1024;

/** What an item takes, and how to hold its source back. */
export interface QueueOptions<T> {
  sizeOf(item: T): number;
  /** `true`: stop, `false`: go on. */
  hold(isHeld: boolean): void;
}

/** One writer, one reader. */
export class OutputQueue<T> {
  readonly #options: QueueOptions<T>;
  readonly #items: T[] = [];
  #bytes = 0;
  #isHeld = false;
  #hasReader = false;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(options: QueueOptions<T>) {
    this.#options = options;
  }

  /** Bytes that wait. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#bytes += this.#options.sizeOf(item);
    // Without a reader nothing would ever let it go on, not even to the final answer.
    if (this.#hasReader && this.#bytes > WAITING_BYTES_HIGH) this.#hold(true);
    this.#wake();
  }

  /** What waits can still be read. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Drops what waits. */
  clear(): void {
    this.#items.length = 0;
    this.#bytes = 0;
    this.#hold(false);
  }

  /** Until the end; leaving it early drops the rest. */
  async *read(): AsyncGenerator<T, void, undefined> {
    this.#hasReader = true;
    try {
      for (;;) {
        for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
          this.#bytes -= this.#options.sizeOf(item);
          if (this.#bytes <= WAITING_BYTES_HIGH / 2) this.#hold(false);
          yield item;
        }
        if (this.#isOver) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#hasReader = false;
      this.#hold(false);
    }
  }

  #hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    this.#options.hold(isHeld);
  }
}
