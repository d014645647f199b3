/**
 * Sessions of programs that are over, with output that nobody has taken yet. They have no place of the worker
 * any more, and a submitter that answers and never reads would have them kept for ever.
 */

/** Each may have a chunk of 256 KiB here. */
const STREAMS_MAX = 1024;

/** Of a session. */
export interface Tail {
  /** Outputs of its program. */
  readonly streams: number;
  /** When all was taken, or it was closed. */
  readonly done: Promise<void>;
  close(): void;
}

export class Tails {
  readonly #open = new Set<Tail>();
  #streams = 0;

  /** Past the bound, the ones that wait longest are closed. */
  add(tail: Tail): void {
    this.#open.add(tail);
    this.#streams += tail.streams;
    void tail.done.then(() => this.#forget(tail));
    for (const oldest of this.#open) {
      if (this.#streams <= STREAMS_MAX) return;
      this.#forget(oldest);
      oldest.close();
    }
  }

  #forget(tail: Tail): void {
    if (this.#open.delete(tail)) this.#streams -= tail.streams;
  }
}
