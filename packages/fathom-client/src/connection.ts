/** The one socket of a client: made when first needed, made again when it went away, until it is closed. */
import { Backoff, type ReconnectOptions } from './backoff.js';
import { connectionError, FathomError } from './errors.js';
import type { OpenSocket, SocketLike } from './transport.js';
import { CLOSE_CODES, decodeServerMessage, type ServerMessage } from './wire/index.js';

/** `idle`: not asked for yet, or given up. `waiting`: went away, the next try comes after a while. */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** @internal */
export interface ConnectionOptions {
  url: string;
  token: string | undefined;
  openSocket: OpenSocket;
  reconnect: ReconnectOptions | false;
  connectTimeoutMs: number;
  onMessage(message: ServerMessage): void;
  /** It was open and is no more. */
  onLost(error: FathomError): void;
  onState(state: ConnectionState): void;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** @internal */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #backoff: Backoff;
  #state: ConnectionState = 'idle';
  #socket: SocketLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiters: Waiter[] = [];
  /** Why the present socket goes, when more is known than that it went. */
  #reason: FathomError | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.reconnect === false ? {} : options.reconnect);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Resolves once it is open; rejects with why it is not, when a try has failed. */
  ready(): Promise<void> {
    if (this.#state === 'open') return Promise.resolve();
    if (this.#state === 'closed') return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#state === 'idle') this.#connect();
    });
  }

  /** False when it is not open. */
  send(text: string): boolean {
    if (this.#state !== 'open') return false;
    this.#socket!.send(text);
    return true;
  }

  /** The peer is taken for dead, or talks nonsense. */
  drop(reason: FathomError): void {
    if (this.#socket === null) return;
    this.#reason ??= reason;
    const socket = this.#socket;
    socket.close();
    this.#onGone(socket); // its own news of the end may take as long as a dead peer does
  }

  close(): void {
    if (this.#state === 'closed') return;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#setState('closed');
    socket?.close(1000);
    this.#release(closedError());
  }

  #connect(): void {
    this.#setState('connecting');
    this.#reason = null;
    let socket: SocketLike;
    try {
      socket = this.#options.openSocket(this.#options.url, this.#options.token);
    } catch (error) {
      this.#setState('idle');
      return this.#release(error);
    }
    this.#socket = socket;
    const slow = connectionError(
      `No answer from ${this.#options.url} in ${this.#options.connectTimeoutMs} ms.`,
    );
    this.#timer = setTimeout(() => this.drop(slow), this.#options.connectTimeoutMs);
    socket.addEventListener('open', () => this.#onOpen(socket));
    socket.addEventListener('message', ({ data }: { data: unknown }) => this.#onMessage(socket, data));
    socket.addEventListener('error', (event: { error?: unknown }) => this.#onError(socket, event));
    socket.addEventListener('close', (event: { code?: number; reason?: string }) =>
      this.#onClose(socket, event),
    );
  }

  #onOpen(socket: SocketLike): void {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#backoff.reset();
    this.#setState('open');
    for (const waiter of this.#takeWaiters()) waiter.resolve();
  }

  #onMessage(socket: SocketLike, data: unknown): void {
    if (socket !== this.#socket) return;
    const decoded =
      typeof data === 'string' ? decodeServerMessage(data) : { problem: 'A message must be text.' };
    if ('message' in decoded) return this.#options.onMessage(decoded.message);
    this.drop(
      new FathomError({
        code: 'FATHOM_PROTOCOL',
        message: `The server broke the protocol: ${decoded.problem}`,
      }),
    );
  }

  #onError(socket: SocketLike, { error }: { error?: unknown }): void {
    if (socket !== this.#socket) return;
    this.#reason ??=
      error instanceof FathomError ? error : connectionError(`No answer from ${this.#options.url}.`, error);
  }

  #onClose(socket: SocketLike, { code, reason }: { code?: number; reason?: string }): void {
    if (socket !== this.#socket) return;
    if (code === CLOSE_CODES.versionNotSupported) {
      this.#reason = new FathomError({
        code: 'FATHOM_VERSION',
        message: reason || 'The server speaks another version.',
      });
    }
    this.#onGone(socket);
  }

  #onGone(socket: SocketLike): void {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#socket = null;
    const wasOpen = this.#state === 'open';
    const error = this.#reason ?? connectionError('The connection was closed.');
    const waitMs = this.#nextTryMs(error);
    if (waitMs === null) this.#setState('idle');
    else {
      this.#setState('waiting');
      this.#timer = setTimeout(() => this.#connect(), waitMs);
    }
    if (wasOpen) this.#options.onLost(error);
    // The immediate second try belongs to the first: who waits learns of its end, not of the first's.
    if (waitMs !== 0) this.#release(error);
  }

  /** What will not be otherwise next time is not tried again by itself. */
  #nextTryMs(error: FathomError): number | null {
    const isFinal = error.code === 'FATHOM_UNAUTHORIZED' || error.code === 'FATHOM_VERSION';
    return this.#options.reconnect === false || isFinal ? null : this.#backoff.next();
  }

  #release(error: unknown): void {
    for (const waiter of this.#takeWaiters()) waiter.reject(error);
  }

  #takeWaiters(): Waiter[] {
    const waiters = this.#waiters;
    this.#waiters = [];
    return waiters;
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state);
  }
}

function closedError(): FathomError {
  return new FathomError({ code: 'FATHOM_CLOSED', message: 'The client is closed.' });
}
