/** One `/ws` connection: requests by id, answered in the order in which they end. */
import { failure, type GojudgeError, runError } from './errors.js';
import { textFrom } from './read-body.js';
import { parseAnswer, protocolError } from './socket-answer.js';
import { bytesOf, connectionError, type SocketLike } from './transport.js';
import type { WireRequest, WireResult } from './wire/index.js';

interface Pending {
  resolve(results: WireResult[]): void;
  reject(error: unknown): void;
}

/**
 * Ids are numbers that are never used twice: a server that is slow to end a cancelled run would end its
 * successor.
 */
export class SocketRuns {
  readonly #socket: SocketLike;
  readonly #pending = new Map<string, Pending>();
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
  #isOpen = true;
  #nextId = 1;

  constructor(socket: SocketLike) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', (event) => this.#onMessage(event));
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        this.#fail(
          connectionError(
            'The connection was closed: by a restart, or because the server could not read a request.',
          ),
        );
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends it; `cancel` asks the server to end it, and the answer still comes. */
  start(request: WireRequest): { results: Promise<WireResult[]>; cancel(): void } {
    if (!this.#isOpen) throw connectionError('The connection was closed before the request was sent.');
    const requestId = `${this.#nextId++}`;
    const results = new Promise<WireResult[]>((resolve, reject) => {
      this.#pending.set(requestId, { resolve, reject });
    });
    this.#socket.send(JSON.stringify({ ...request, requestId }));
    const cancel = () => {
      if (this.#isOpen && this.#pending.has(requestId)) {
        this.#socket.send(JSON.stringify({ cancelRequestId: requestId }));
      }
    };
    return { results, cancel };
  }

  close(): Promise<void> {
    if (this.#isOpen) this.#fail(failure('GOJUDGE_CLOSED', 'This was closed.'));
    this.#socket.close();
    return this.closed;
  }

  #onMessage({ data }: { data?: unknown }): void {
    const answer = parseAnswer(textFrom(bytesOf(data)));
    if (answer === null) {
      this.#fail(protocolError());
      return this.#socket.close();
    }
    const pending = this.#pending.get(answer.requestId);
    if (pending === undefined) return;
    this.#pending.delete(answer.requestId);
    if (answer.error === undefined) pending.resolve(answer.results ?? []);
    else pending.reject(runError(answer.error));
  }

  #fail(error: GojudgeError): void {
    this.#isOpen = false;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
