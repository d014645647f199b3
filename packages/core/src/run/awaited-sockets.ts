/** Sockets that init has been asked for and has not given yet. */
import type { Native } from '../native/native.js';
import type { SocketReport } from '../native/records.js';

type Hands = Pick<Native, 'holdLoop' | 'releaseLoop' | 'closeFds'>;

export class AwaitedSockets {
  readonly #native: Hands;
  readonly #takers = new Map<number, (made: number) => void>();
  #nextId = 1;

  constructor(native: Hands) {
    this.#native = native;
  }

  /** `send` asks init. The descriptor, or a negative error number. Until then the process stays. */
  ask(send: (requestId: number) => number): Promise<number> {
    const requestId = this.#nextId++;
    const sent = send(requestId);
    if (sent < 0) return Promise.resolve(sent);
    this.#native.holdLoop();
    return new Promise((resolve) => this.#takers.set(requestId, resolve));
  }

  take({ requestId, errorNumber, fds }: SocketReport): void {
    const taker = this.#taker(requestId);
    if (taker === undefined) this.#native.closeFds(fds);
    else taker(fds[0] ?? -errorNumber);
  }

  /** None of them will come. */
  giveUp(error: number): void {
    for (const requestId of [...this.#takers.keys()]) this.#taker(requestId)?.(error);
  }

  #taker(requestId: number): ((made: number) => void) | undefined {
    const taker = this.#takers.get(requestId);
    if (this.#takers.delete(requestId)) this.#native.releaseLoop();
    return taker;
  }
}
