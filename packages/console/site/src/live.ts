/** The connection to `/console/ws`: made again when it goes away, with longer and longer pauses. */
import {
  CLOSE_UNAUTHORIZED,
  type ClientMessage,
  type ClusterMessage,
  CONSOLE_PATH,
  type FiguresMessage,
  type HelloMessage,
  type RunMessage,
  type ServerMessage,
  SUBPROTOCOL,
  TOKEN_SUBPROTOCOL_PREFIX,
} from '@sbx/console/wire';
import { headerValue, tokenSubprotocol } from '@sbx/shared';

export type LiveState = 'connecting' | 'open' | 'lost' | 'needs-token';

export interface LiveSnapshot {
  state: LiveState;
  hello: HelloMessage | null;
  /** `null`: programs run on the server's machine. */
  cluster: ClusterMessage | null;
  /** Of the last five minutes, the oldest first. */
  history: readonly FiguresMessage[];
}

export const FIRST_SNAPSHOT: LiveSnapshot = { state: 'connecting', hello: null, cluster: null, history: [] };

const HISTORY_COUNT_MAX = 300;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5000;

export class LiveClient {
  #snapshot = FIRST_SNAPSHOT;
  #socket: WebSocket | null = null;
  #token: string | undefined;
  #pauseMs = PAUSE_MS_MIN;
  readonly #listeners = new Set<(snapshot: LiveSnapshot) => void>();
  readonly #watched = new Map<string, (sample: RunMessage) => void>();

  /** Calls at once, and at each change. Returns what ends it. */
  subscribe(listener: (snapshot: LiveSnapshot) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#snapshot);
    return () => void this.#listeners.delete(listener);
  }

  connect(token?: string): void {
    this.#token = token;
    this.#open();
  }

  /** Samples of a run, until `unwatch`. */
  watch(id: string, onSample: (sample: RunMessage) => void): void {
    this.#watched.set(id, onSample);
    this.#send({ type: 'watch', id });
  }

  unwatch(id: string): void {
    if (this.#watched.delete(id)) this.#send({ type: 'unwatch', id });
  }

  #open(): void {
    this.#change({ state: this.#snapshot.state === 'lost' ? 'lost' : 'connecting' });
    const url = new URL(CONSOLE_PATH, location.href.replace(/^http/, 'ws'));
    const token = this.#token;
    const own = token === undefined ? [] : [tokenSubprotocol(TOKEN_SUBPROTOCOL_PREFIX, headerValue(token))];
    const socket = new WebSocket(url, [SUBPROTOCOL, ...own]);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) =>
      this.#onMessage(JSON.parse(String(data)) as ServerMessage),
    );
    socket.addEventListener('close', ({ code }) => this.#onClose(code));
  }

  #onClose(code: number): void {
    this.#socket = null;
    if (code === CLOSE_UNAUTHORIZED) return this.#change({ state: 'needs-token' });
    this.#change({ state: 'lost' });
    setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS_MAX);
  }

  #onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.#pauseMs = PAUSE_MS_MIN;
        return this.#change({ state: 'open', hello: message, cluster: null, history: [] });
      case 'cluster':
        return this.#change({ cluster: message });
      case 'figures':
        return this.#change({ history: [...this.#snapshot.history, message].slice(-HISTORY_COUNT_MAX) });
      case 'run':
        return this.#watched.get(message.id)?.(message);
      case 'run-end':
        return void this.#watched.delete(message.id);
      case 'refused':
        return;
    }
  }

  #send(message: ClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #change(change: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener(this.#snapshot);
  }
}
