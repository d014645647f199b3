/** For tests: a socket whose other side is the test. */
import type { SocketLike } from './transport.js';

type Listener = (event: object) => void;

export class FakeSocket implements SocketLike {
  binaryType = '';
  bufferedAmount = 0;
  isHeld = false;
  readonly sent: (string | Uint8Array)[] = [];
  readonly #listeners = new Map<string, Listener[]>();
  #isClosed = false;

  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => this.#emit('close', {}));
  }

  pause(): void {
    this.isHeld = true;
  }

  resume(): void {
    this.isHeld = false;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  /** A message from the server. */
  receive(data: string | Uint8Array): void {
    this.#emit('message', { data });
  }

  /** Requests that were sent, parsed. */
  get requests(): { requestId?: string; cancelRequestId?: string }[] {
    return this.sent.map((text) => JSON.parse(text as string) as { requestId?: string });
  }

  /** Answers a request with one result. */
  answer(requestId: string, more: object = {}): void {
    const result = { status: 'Accepted', exitStatus: 0, time: 1, memory: 1, runTime: 1, ...more };
    this.receive(`${JSON.stringify({ requestId, results: [result] })}\n`);
  }

  #emit(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** A client whose sockets are these, one after the other. */
export function transportOf(sockets: (FakeSocket | Error)[]) {
  const deleted: string[] = [];
  return {
    deleted,
    canStreamRequests: true,
    fetch: (async (url: string) => {
      deleted.push(url);
      return new Response();
    }) as unknown as typeof fetch,
    openSocket: async () => {
      const next = sockets.shift();
      if (next instanceof FakeSocket) return next;
      throw next ?? new Error('no more sockets');
    },
  };
}
