/** For tests: a socket whose other side is the test. */
import type { OpenSocket, SocketLike } from './transport.js';

type Listener = (event: object) => void;

export class FakeSocket implements SocketLike {
  readonly sent: { type: string; id?: string }[] = [];
  readonly #listeners = new Map<string, Listener[]>();
  #isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string });
  }

  close(code = 1005, reason = ''): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => this.emit('close', { code, reason }));
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  /** A message from the server; `v` and `ts` are added. */
  receive(message: object): void {
    const data = JSON.stringify({ v: 1, ts: '2025-12-27T11:30:00.000Z', ...message });
    this.emit('message', { data });
  }

  /** The id of the last execution that was sent. */
  get lastId(): string {
    return this.sent.findLast(({ type }) => type === 'execute')!.id!;
  }

  emit(type: string, event: object = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** Sockets as they are asked for; `whenMade` decides how each begins. */
export function fakeSockets(whenMade: (socket: FakeSocket, count: number) => void = open) {
  const sockets: FakeSocket[] = [];
  const openSocket: OpenSocket = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    queueMicrotask(() => whenMade(socket, sockets.length));
    return socket;
  };
  return { sockets, openSocket };
}

function open(socket: FakeSocket): void {
  socket.emit('open');
}
