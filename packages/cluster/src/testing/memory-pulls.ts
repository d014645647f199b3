/**
 * The pulls of a broker in memory. As nats/pulls.ts makes them: one for all places of a worker that ask in
 * the same moment, and along with an acknowledgement, where there is one.
 */
import type { Delivery } from '../links.js';
import type { Node, Pull } from './memory-node.js';
import type { SimClock } from './sim-clock.js';
import type { Traffic } from './traffic.js';

const PULL_MS = 5000;
const GRACE_MS = 2000;
/** In a network that is quick, word of a pull's end does not come before the jobs that it brought. */
const LATER_MS = 2;

export class MemoryPulls {
  readonly #clock: SimClock;
  readonly #traffic: Traffic;
  readonly #send: (node: Node, arrive: () => void) => void;
  /** At the broker, in order. */
  readonly #pulls = new Set<Pull>();

  constructor(clock: SimClock, traffic: Traffic, send: (node: Node, arrive: () => void) => void) {
    this.#clock = clock;
    this.#traffic = traffic;
    this.#send = send;
  }

  /** `onArrive`: when the broker has it. */
  next(node: Node, signal: AbortSignal, onArrive: () => void): Promise<Delivery | null> {
    return new Promise((resolve) => {
      const last = node.lastPull;
      if (last?.askedAt === this.#clock.now() && last.signal === signal) last.takers.push(resolve);
      else this.#begin(node, signal, resolve, onArrive);
    });
  }

  /** The one whose turn it is has one place less, and is the last in line. */
  shift(): Pull | null {
    for (const pull of this.#pulls) {
      this.#pulls.delete(pull);
      pull.left -= 1;
      if (pull.left > 0) this.#pulls.add(pull);
      return pull;
    }
    return null;
  }

  #begin(node: Node, signal: AbortSignal, take: Pull['takers'][number], onArrive: () => void): void {
    const pull: Pull = { node, signal, askedAt: this.#clock.now(), takers: [take], left: 0 };
    node.lastPull = pull;
    this.#traffic.count('pull', node.acks > 0 ? 0 : 1, 0);
    node.acks = 0;
    const end = () => {
      this.#pulls.delete(pull);
      signal.removeEventListener('abort', end);
      if (!node.isDead) for (const each of pull.takers.splice(0)) each(null);
    };
    this.#clock.after(PULL_MS + GRACE_MS, end);
    signal.addEventListener('abort', end, { once: true });
    this.#send(node, () => {
      if (signal.aborted) return;
      pull.left = pull.takers.length;
      this.#pulls.add(pull);
      this.#clock.after(PULL_MS, () => this.#expire(pull, end));
      onArrive();
    });
  }

  #expire(pull: Pull, end: () => void): void {
    if (!this.#pulls.delete(pull)) return;
    this.#traffic.count('pull', 0, 1);
    this.#clock.after(LATER_MS, () => this.#send(pull.node, end));
  }
}
