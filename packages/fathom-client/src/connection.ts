/** The one socket of a client: made when first needed, made again when it went away, until it is closed. */
import { noAnswerFrom, textHasMoreValues } from '@sbx/shared';
import { Backoff, type ReconnectOptions } from './backoff.js';
import { connectionError, FathomError } from './errors.js';
import { handshakeError, LastingFailures } from './lasting-failures.js';
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
  /** What came for one execution is no message; the others do not suffer. */
  onBroken(id: string, error: FathomError): void;
  /** It was open and is no more. */
  onLost(error: FathomError): void;
  onState(state: ConnectionState): void;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A connection that lasts so long counts as a success, also without a message. */
const PROVEN_MS = 1000;
/** Between the starts of two tries, when a caller waits. */
const ON_DEMAND_MS = 1000;
/** Of JSON, in one message; those of servers have some ten. */
const VALUES_MAX = 10_000;
/** For the peer's part of the close. */
const GOODBYE_MS = 1000;

/** @internal */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #backoff: Backoff;
  readonly #lasting = new LastingFailures();
  #nextTryAt = 0;
  #triedAt = Number.NEGATIVE_INFINITY;
  #openedAt = 0;
  /**
   * The present socket has brought a message: until then a server that takes connections only to end them is
   * asked ever less often.
   */
  #isProven = false;
  #state: ConnectionState = 'idle';
  #socket: SocketLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiters: Waiter[] = [];
  #lastError: FathomError | null = null;
  /** Why the present socket goes, when more is known than that it went. */
  #reason: FathomError | null = null;
  /** What the present socket said of a handshake that failed. */
  #handshakeText = '';

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.reconnect === false ? {} : options.reconnect);
  }

  /** Why the last socket went, or never opened; `null`: none has gone yet. */
  get lastError(): FathomError | null {
    return this.#lastError;
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
      if (this.#state === 'waiting') this.#hurry();
    });
  }

  /** The next try need not wait for its time when somebody waits for it. */
  #hurry(): void {
    clearTimeout(this.#timer);
    const sinceMs = performance.now() - this.#triedAt;
    const waitMs = Math.min(this.#nextTryAt - performance.now(), ON_DEMAND_MS - sinceMs);
    this.#timer = setTimeout(() => this.#connect(), Math.max(0, waitMs));
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
    end(socket, 0);
    this.#onGone(socket); // its own news of the end may take as long as a dead peer does
  }

  close(): void {
    if (this.#state === 'closed') return;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    const error = closedError();
    this.#lastError = error;
    this.#setState('closed');
    if (socket !== null) end(socket, GOODBYE_MS);
    this.#release(error);
  }

  #connect(): void {
    this.#setState('connecting');
    this.#reason = null;
    this.#handshakeText = '';
    this.#isProven = false;
    this.#triedAt = performance.now();
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
    socket.addEventListener('message', (event) => this.#onMessage(socket, event));
    socket.addEventListener('error', (event) => this.#onError(socket, event));
    socket.addEventListener('close', (event) => this.#onClose(socket, event));
  }

  #onOpen(socket: SocketLike): void {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#openedAt = performance.now();
    this.#setState('open');
    for (const waiter of this.#takeWaiters()) waiter.resolve();
  }

  #onMessage(socket: SocketLike, { data }: { data?: unknown }): void {
    if (socket !== this.#socket) return;
    const isRead = typeof data === 'string' && !textHasMoreValues(data, VALUES_MAX);
    const decoded = decodeServerMessage(isRead ? data : '');
    if (decoded.kind !== 'problem') this.#prove();
    if (decoded.kind === 'message') this.#options.onMessage(decoded.message);
    if (decoded.kind !== 'problem') return;
    const { url } = this.#options;
    // The path where none was given; another protocol's where all are served on one port.
    const hint = !this.#isProven && url.endsWith('/ws') ? ' That of `sbx serve` is at /fathom.' : '';
    const error = new FathomError({
      code: 'FATHOM_PROTOCOL',
      message: `${url} broke the protocol: ${decoded.problem} Is it a Fathom server?${hint}`,
      executionId: decoded.id,
    });
    if (decoded.id === null) this.drop(error);
    else this.#options.onBroken(decoded.id, error);
  }

  #prove(): void {
    if (this.#isProven) return;
    this.#isProven = true;
    this.#lasting.reset();
    this.#backoff.reset();
  }

  #onError(socket: SocketLike, { error, message }: { error?: unknown; message?: string }): void {
    if (socket !== this.#socket) return;
    if (error instanceof FathomError) {
      this.#reason ??= error;
      return;
    }
    if (this.#state === 'connecting') {
      this.#handshakeText = message ?? (error as { message?: string } | undefined)?.message ?? '';
    }
    this.#reason ??= connectionError(noAnswerFrom(this.#options.url, error), error);
  }

  #onClose(socket: SocketLike, { code, reason = '' }: { code?: number; reason?: string }): void {
    if (socket !== this.#socket) return;
    const { url, token } = this.#options;
    if (code === CLOSE_CODES.versionNotSupported) {
      const message = reason || 'The server speaks another version.';
      this.#reason = new FathomError({ code: 'FATHOM_VERSION', message });
    }
    if (code === CLOSE_CODES.unauthorized) {
      const message = `${url} does not take this token, or asks for one.`;
      this.#reason = new FathomError({ code: 'FATHOM_UNAUTHORIZED', message });
    }
    if (this.#state === 'connecting') {
      const text = this.#handshakeText || reason;
      this.#reason = handshakeError({ url, hasToken: token !== undefined, code, text }) ?? this.#reason;
    }
    this.#onGone(socket, saidOf(code, reason));
  }

  #onGone(socket: SocketLike, said = ''): void {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#socket = null;
    const wasOpen = this.#state === 'open';
    if (wasOpen && performance.now() - this.#openedAt >= PROVEN_MS && this.#reason === null) this.#prove();
    const error = this.#reason ?? connectionError(`The connection was closed${said}.`);
    this.#lastError = error;
    const waitMs = this.#nextTryMs(error, wasOpen);
    if (waitMs === null) this.#setState('idle');
    else {
      this.#setState('waiting');
      this.#nextTryAt = performance.now() + waitMs;
      this.#timer = setTimeout(() => this.#connect(), waitMs);
    }
    if (wasOpen) this.#options.onLost(error);
    // The immediate second try belongs to the first: who waits learns of its end, not of the first's.
    if (waitMs !== 0) this.#release(error);
  }

  /** `null`: not by itself; the next call tries again. */
  #nextTryMs(error: FathomError, wasOpen: boolean): number | null {
    const isFinal = this.#lasting.isFinal(error);
    return this.#options.reconnect === false || isFinal ? null : this.#backoff.next(wasOpen);
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

/**
 * Closes, and goes without the peer's answer where that does not come. Sockets that cannot do so see to it
 * themselves.
 */
function end(socket: SocketLike, waitMs: number): void {
  socket.close(1000);
  if (socket.terminate === undefined) return;
  if (waitMs === 0) return socket.terminate();
  const timer: unknown = setTimeout(() => socket.terminate!(), waitMs);
  (timer as { unref?(): void }).unref?.();
}

/** What a server says of its close. Below 1007 only 1001 says more than that it was closed. */
function saidOf(code: number | undefined, reason: string): string {
  if (code === undefined || (code < 1007 && code !== CLOSE_CODES.goingAway)) return '';
  const why = reason || (code === CLOSE_CODES.tooBig ? 'a message was too large for the server' : '');
  return ` (${code}${why && `: ${why}`})`;
}

function closedError(): FathomError {
  return new FathomError({ code: 'FATHOM_CLOSED', message: 'The client is closed.' });
}
