/**
 * Pings of one connection: those that a caller asks for, and those by which a peer that is gone without a
 * word is found.
 */
import { onAbort } from '@sbx/shared';
import { connectionError, type FathomError, lostError } from './errors.js';
import { type Load, loadOf } from './figures.js';
import type { PongMessage, ServerMessage } from './wire/index.js';

/** Answer to a ping. */
export interface Pong {
  /** From ping to pong. */
  roundTripMs: number;
  /** Of the whole server; `null` when it does not tell. */
  load: Load | null;
}

/** @internal */
export interface PingOptions {
  /** Between those that watch the peer; 0: none. */
  pingIntervalMs: number;
  pingTimeoutMs: number;
  send(id: string): void;
  /** The peer is taken for dead. */
  drop(error: FathomError): void;
}

interface Waiting {
  answer(message: PongMessage): void;
  fail(error: unknown): void;
}

const NOBODY: Waiting = { answer: () => undefined, fail: () => undefined };

/** As many of those that watch the peer may be without an answer. */
const UNANSWERED_MAX = 2;

/** @internal */
export class Pings {
  readonly #options: PingOptions;
  /** Unanswered ones by id, in the order in which they were sent. */
  readonly #waiting = new Map<string, Waiting>();
  /** Messages so far: a peer that says anything lives. */
  #heardCount = 0;
  #sentCount = 0;
  #unanswered = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: PingOptions) {
    this.#options = options;
  }

  /** The connection must be open, and the signal not aborted yet. */
  ask(signal: AbortSignal | undefined): Promise<Pong> {
    const { pingTimeoutMs, drop } = this.#options;
    const sentAt = performance.now();
    const heardBefore = this.#heardCount;
    return new Promise((resolve, reject) => {
      const id = this.#send({
        answer: ({ load }) => {
          settle();
          const roundTripMs = performance.now() - sentAt;
          resolve({ roundTripMs, load: load === undefined ? null : loadOf(load) });
        },
        fail: (error) => {
          settle();
          reject(error as Error);
        },
      });
      const fail = (error: unknown) => this.#take(id).fail(error);
      const timer = setTimeout(() => {
        const error = connectionError(`No answer to a ping in ${pingTimeoutMs} ms.`);
        fail(error);
        if (this.#heardCount === heardBefore) drop(error);
      }, pingTimeoutMs);
      const unsubscribe = onAbort(signal, () => fail(signal!.reason));
      const settle = () => {
        clearTimeout(timer);
        unsubscribe();
      };
    });
  }

  /** From here on a peer that is gone without a word is found by its silence. */
  watch(): void {
    const { pingIntervalMs, drop } = this.#options;
    if (pingIntervalMs === 0 || this.#timer !== undefined) return;
    this.#unanswered = 0;
    this.#timer = setInterval(() => {
      if (this.#unanswered >= UNANSWERED_MAX) {
        return drop(connectionError('The server answers no pings any more.'));
      }
      this.#unanswered += 1;
      this.#send(NOBODY);
    }, pingIntervalMs);
  }

  /** Ends `watch`. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Whatever it says, it lives. */
  heard(message: ServerMessage): void {
    this.#unanswered = 0;
    this.#heardCount += 1;
    if (message.type !== 'pong') return;
    // A server need not give the id back; pongs come in the order of the pings then.
    const [oldest = ''] = this.#waiting.keys();
    this.#take(message.id ?? oldest).answer(message);
  }

  /** The connection went away, and with it the answers. */
  lost(cause: FathomError | null): void {
    const error = lostError('The connection went away before the pong.', cause);
    for (const id of [...this.#waiting.keys()]) this.#take(id).fail(error);
  }

  #send(waiting: Waiting): string {
    this.#sentCount += 1;
    const id = `ping_${this.#sentCount}`;
    this.#waiting.set(id, waiting);
    this.#options.send(id);
    return id;
  }

  #take(id: string): Waiting {
    const waiting = this.#waiting.get(id) ?? NOBODY;
    this.#waiting.delete(id);
    return waiting;
  }
}
