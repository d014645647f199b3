/** Output that waits to be read. Bounded: a program can print for as long as its limits let it. */

/** Above this the connection is asked to wait, where it can. */
const WAITING_BYTES_HIGH = 1024 * 1024;

/** What a message takes until it is read, beside its bytes: a program may write one byte at a time. */
export const MESSAGE_COST_BYTES = 512;

/** One writer, one reader. */
export class OutputQueue<T extends { bytes: Uint8Array }> {
  readonly #holdSource: (isHeld: boolean) => void;
  /** Not a list: to take the first of many would move all others. */
  readonly #items = new Set<T>();
  #bytes = 0;
  #isHeld = false;
  #hasReader = false;
  #isOver = false;
  #wake: () => void = () => undefined;

  /** `hold`: `true` is to stop its source, `false` lets that go on. */
  constructor(hold: (isHeld: boolean) => void) {
    this.#holdSource = hold;
  }

  /** Bytes that wait, with the cost of their messages. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  push(item: T): void {
    this.#items.add(item);
    this.#bytes += item.bytes.byteLength + MESSAGE_COST_BYTES;
    // Without a reader nothing would ever let it go on, not even to the final answer.
    if (this.#hasReader && this.#bytes > WAITING_BYTES_HIGH) this.#hold(true);
    this.#wake();
  }

  /** What waits can still be read. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  clear(): void {
    this.#items.clear();
    this.#bytes = 0;
    this.#hold(false);
  }

  /** Until the end; leaving it early drops the rest. */
  async *read(): AsyncGenerator<T, void, undefined> {
    this.#hasReader = true;
    try {
      for (;;) {
        for (const item of this.#items) {
          this.#items.delete(item);
          this.#bytes -= item.bytes.byteLength + MESSAGE_COST_BYTES;
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
    this.#holdSource(isHeld);
  }
}
