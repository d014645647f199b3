/**
 * A connection whose requests are simple so far. It belongs to this file from its first byte on; with the
 * first request that is not simple it goes to Node's HTTP server for good, which reads that request from its
 * beginning. One request at a time: what comes meanwhile waits, as it does in Go's server.
 */
import type { Socket } from 'node:net';
import type { RequestContext } from '../../request-context.js';
import { readSimpleRequest, SIMPLE_BYTES_MAX, type SimpleRequest } from './request.js';

/** What connections share. */
export interface FastPathHost {
  /** Answers on the socket; `null`: the request is for Node. Never throws or rejects. */
  serve(request: SimpleRequest, incoming: RequestContext): Promise<void> | null;
  /** The socket is Node's from now on. */
  handOver(connection: FastPathConnection, socket: Socket): void;
  /** It is over, and nothing of it runs any more. */
  closed(connection: FastPathConnection): void;
  readonly isClosing: boolean;
}

/**
 * Of a connection that is silent from the beginning, and of a body whose head has come; then Node's own
 * time-outs count.
 */
const SILENCE_MS = 10_000;
/** As Node's server has it for a request that ends before its end. */
const CUT_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';
/** Head and body come in one read or in two. Whoever sends in small parts is Node's. */
const READS_MAX = 4;
/** What waits behind a request is not to cost more than its bytes. */
const HELD_READS_MAX = 64;

const EMPTY = Buffer.alloc(0);

export class FastPathConnection {
  readonly #socket: Socket;
  readonly #host: FastPathHost;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #answering: Promise<void> | null = null;
  readonly #silenceMs: number;

  constructor(socket: Socket, host: FastPathHost, silenceMs = SILENCE_MS) {
    this.#socket = socket;
    this.#host = host;
    this.#silenceMs = silenceMs;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout);
    socket.on('error', this.#onError).on('close', this.#onClose);
    socket.setTimeout(silenceMs);
  }

  /** The request that is being answered, if any. */
  get answering(): Promise<void> | null {
    return this.#answering;
  }

  /** Nothing of a request has come. */
  get isIdle(): boolean {
    return this.#answering === null && this.#heldBytes === 0;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #onData = (chunk: Buffer): void => {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#answering === null) this.#next();
    else if (this.#heldBytes > SIMPLE_BYTES_MAX || this.#held.length > HELD_READS_MAX) this.#socket.pause();
  };

  /** A client that closes its sending side still gets its answer. */
  #onEnd = (): void => {
    if (this.#answering === null) this.#finish();
  };

  /** Only with nothing under way. */
  #onTimeout = (): void => this.#handOver(Buffer.concat(this.#held));

  #onError = (): void => void this.#socket.destroy();

  /** A run whose client has gone is still being ended. */
  #onClose = (): void => {
    if (this.#answering === null) this.#host.closed(this);
  };

  #next(): void {
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    const request = readSimpleRequest(bytes);
    if (request === null) return this.#handOver(bytes);
    const missing = request.bodyAt + request.bodyBytes - bytes.length;
    if (missing > 0 && this.#held.length < READS_MAX) return void this.#socket.setTimeout(this.#silenceMs);
    const incoming = new SimpleRequestContext(this.#socket, bytes.subarray(request.bodyAt));
    const serving = missing === 0 ? this.#host.serve(request, incoming) : null;
    if (serving === null) return this.#handOver(bytes);
    this.#socket.setTimeout(0);
    this.#held = [];
    this.#heldBytes = 0;
    this.#answering = serving.then(this.#answered);
  }

  #answered = (): void => {
    const socket = this.#socket;
    this.#answering = null;
    if (socket.destroyed) return this.#host.closed(this);
    if (this.#host.isClosing) return void socket.end();
    if (socket.readableEnded && this.#heldBytes === 0) return this.#finish();
    if (socket.isPaused()) socket.resume();
    if (this.#heldBytes > 0) this.#next();
  };

  /** The client has said all it had to say. */
  #finish(): void {
    this.#socket.end(this.#heldBytes > 0 ? CUT_OFF : '');
  }

  /** `bytes`: all that is held. */
  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    if (socket.readableEnded) return this.#finish(); // Node would never hear of the end
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout);
    socket.off('error', this.#onError).off('close', this.#onClose);
    socket.setTimeout(0);
    socket.pause();
    if (bytes.length > 0) socket.unshift(bytes);
    this.#host.handOver(this, socket);
    // Within the read that brought the bytes, Node's server would get them before the socket says that it is
    // read, and could not have it stop: it would read all of a body that nobody takes.
    process.nextTick(() => socket.resume());
  }
}

/** Lets go of the body with its reading: the request may wait in the queue for long after. */
class SimpleRequestContext implements RequestContext {
  readonly socket: Socket;
  #body: Buffer;

  constructor(socket: Socket, body: Buffer) {
    this.socket = socket;
    this.#body = body;
  }

  readBody(): Buffer {
    const body = this.#body;
    this.#body = EMPTY;
    return body;
  }
}
