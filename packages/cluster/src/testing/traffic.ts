/** Messages that a broker gets and sends, by what they are for, as `nats/` has them with NATS. */

export interface Messages {
  in: number;
  out: number;
}

export class Traffic {
  readonly #byKind = new Map<string, Messages>();

  count(kind: string, incoming: number, outgoing: number): void {
    const messages = this.#byKind.get(kind) ?? { in: 0, out: 0 };
    messages.in += incoming;
    messages.out += outgoing;
    this.#byKind.set(kind, messages);
  }

  /** All so far, which are then forgotten. */
  take(): Map<string, Messages> {
    const all = new Map(this.#byKind);
    this.#byKind.clear();
    return all;
  }
}
