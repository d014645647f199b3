/** Places for executions: so many run, so many wait in order, and the rest is refused. */

/** A place, or a place in the queue. */
export interface Ticket {
  /** Gives it up. Safe to call twice. */
  leave(): void;
}

interface Waiter {
  granted: () => void;
}

export class Admission {
  readonly places: number;
  readonly queueLength: number;
  #active = 0;
  readonly #waiting = new Set<Waiter>();

  constructor(places: number, queueLength: number) {
    this.places = places;
    this.queueLength = queueLength;
  }

  /** Executions that have a place. */
  get active(): number {
    return this.#active;
  }
  /** Executions that wait for one. */
  get waiting(): number {
    return this.#waiting.size;
  }
  get isFull(): boolean {
    return this.#active >= this.places && this.#waiting.size >= this.queueLength;
  }

  /** `granted` is called when there is a place: at once, or later, never after `leave`. `null`: nothing is free. */
  enter(granted: () => void): Ticket | null {
    if (this.isFull) return null;
    const waiter: Waiter = { granted };
    const isWaiting = this.#active >= this.places;
    if (isWaiting) this.#waiting.add(waiter);
    else this.#active += 1;
    let isHeld = true;
    const ticket = {
      leave: () => {
        if (!isHeld) return;
        isHeld = false;
        if (!this.#waiting.delete(waiter)) this.#pass();
      },
    };
    // Once the caller has the ticket, and has told that it was taken.
    if (!isWaiting) void Promise.resolve().then(() => isHeld && granted());
    return ticket;
  }

  /** The place goes to who has waited longest. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#active -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.granted();
  }
}
