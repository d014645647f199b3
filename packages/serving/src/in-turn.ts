/**
 * Requests that a client sends without waiting for answers. Node parses all that come with one read, and
 * hands over each at once: 64 KiB of them are thousands of answers, made before anybody else is served, and
 * held until the client reads them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onFull } from './connections.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface WaitingBounds {
  /** Requests of all connections. One that waits is some KiB of Node's objects. Default: 16,384. */
  countMax?: number;
  /** Their heads. Default: 64 MiB. */
  bytesMax?: number;
}

const COUNT_MAX = 16_384;
const BYTES_MAX = 64 * 1024 * 1024;
/** For the head of a request to come whole, as Go has it. */
export const HEAD_TIMEOUT_MS = 60_000;
/** Of one connection, beside those that came with the same read. Beyond, it is not read. */
const OWN_COUNT_MAX = 16;
const OWN_BYTES_MAX = 16 * 1024;
/** For a head to come whole once other clients find no place. */
const HEAD_PATIENCE_MS = 2000;
/** Of a name or value of a header, beside its letters. */
const TEXT_COST_BYTES = 32;

interface Waiting {
  bytes: number;
  begin(): void;
}

/** Of one connection, while one of its requests is being answered. */
interface Line {
  waiting: Waiting[];
  bytes: number;
  /** Keeps the socket from being read, whoever has it go on; `null`: it is read. */
  hold: (() => void) | null;
  /** Since then the head of a request has not come whole in time. */
  isHeadLate: boolean;
}

/**
 * One request of a connection at a time, as in Go's server: the next begins when the answer before it has
 * left, and others are served in between. While more than a few of a connection wait it is not read, and one
 * whose requests find no room beside those of all others is cut.
 */
export class Turns {
  readonly #bounds: Required<WaitingBounds>;
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #headTimeoutMs: number;
  /** Connections whose next head has been given its time again. */
  readonly #lateHeads = new Map<Socket, NodeJS.Timeout>();
  /** Connections without a request that has come, and since when: the longest first. */
  readonly #bare = new Map<Socket, number>();
  #count = 0;
  #bytes = 0;

  constructor(bounds: WaitingBounds = {}, headTimeoutMs = HEAD_TIMEOUT_MS) {
    this.#headTimeoutMs = headTimeoutMs;
    this.#bounds = { countMax: COUNT_MAX, bytesMax: BYTES_MAX, ...bounds };
  }

  /** Waiting requests of all connections. */
  get count(): number {
    return this.#count;
  }

  /**
   * To be called before its first connection. When it has as many as it takes, those that bring no request
   * are closed: Node's `closeIdleConnections` takes none that never sent one, or the beginning of one.
   */
  watch(server: Server, patienceMs = HEAD_PATIENCE_MS): void {
    server.on('connection', (socket) => {
      if (!this.#bare.has(socket)) socket.once('close', () => this.#bare.delete(socket));
      this.#bare.set(socket, performance.now());
    });
    onFull(server, () => {
      const before = performance.now() - patienceMs;
      for (const [socket, since] of this.#bare) if (since <= before) socket.destroy();
    });
  }

  handler(handler: Handler): Handler {
    return (request, response) => {
      const { socket } = request;
      this.#bare.delete(socket);
      if (this.#lateHeads.size > 0) this.#headCame(socket);
      const line = this.#lines.get(socket);
      if (line !== undefined) {
        const begin = () => this.#begin(handler, request, response);
        return this.#wait(line, socket, { bytes: headBytes(request), begin });
      }
      this.#lines.set(socket, { waiting: [], bytes: 0, hold: null, isHeadLate: false });
      this.#begin(handler, request, response);
    };
  }

  /**
   * Of an upgrade, which ends the requests of its connection: calls `next` when all before it are answered,
   * and never when the connection is cut.
   */
  last(request: IncomingMessage, next: () => void): void {
    const { socket } = request;
    this.#bare.delete(socket);
    const line = this.#lines.get(socket);
    if (line === undefined) return next();
    const begin = () => {
      this.#lines.delete(socket);
      next();
    };
    this.#wait(line, socket, { bytes: headBytes(request), begin });
  }

  /**
   * Whether a head that is late was not read because of those before it. It has its time from when the
   * connection is read again.
   */
  excusesHead(socket: Socket): boolean {
    const line = this.#lines.get(socket);
    if (line === undefined || line.hold === null) return false;
    line.isHeadLate = true;
    return true;
  }

  #headCame(socket: Socket): void {
    clearTimeout(this.#lateHeads.get(socket));
    this.#lateHeads.delete(socket);
  }

  #begin(handler: Handler, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lines.get(socket)!;
    response.once('close', () => {
      if (line.waiting.length > 0) setImmediate(() => this.#goOn(line, socket));
      else this.#end(socket);
    });
    handler(request, response);
  }

  /** Nothing of it is left to be answered. */
  #end(socket: Socket): void {
    this.#lines.delete(socket);
    if (!socket.destroyed) this.#bare.set(socket, performance.now());
  }

  #wait(line: Line, socket: Socket, waiting: Waiting): void {
    if (socket.destroyed) return;
    const { countMax, bytesMax } = this.#bounds;
    const ownBytes = line.bytes + waiting.bytes;
    const hasRoom = ownBytes <= OWN_BYTES_MAX || this.#bytes + waiting.bytes <= bytesMax;
    if (this.#count >= countMax || !hasRoom) return void socket.destroy();
    line.waiting.push(waiting);
    this.#add(line, 1, waiting.bytes);
    if (line.hold !== null || (line.waiting.length <= OWN_COUNT_MAX && ownBytes <= OWN_BYTES_MAX)) return;
    line.hold = () => void socket.pause();
    // Node goes on to read when an answer has drained.
    socket.on('resume', line.hold).pause();
  }

  #goOn(line: Line, socket: Socket): void {
    if (socket.destroyed) {
      this.#add(line, -line.waiting.length, -line.bytes);
      line.waiting.length = 0;
    }
    const next = line.waiting.shift();
    if (next === undefined) return this.#end(socket);
    this.#add(line, -1, -next.bytes);
    const isShort = line.waiting.length <= OWN_COUNT_MAX / 2 && line.bytes <= OWN_BYTES_MAX / 2;
    if (line.hold !== null && isShort) this.#read(line, socket, line.hold);
    next.begin();
  }

  #read(line: Line, socket: Socket, hold: () => void): void {
    socket.off('resume', hold).resume();
    line.hold = null;
    if (!line.isHeadLate) return;
    line.isHeadLate = false;
    const cut = () => {
      this.#lateHeads.delete(socket);
      socket.destroy();
    };
    this.#lateHeads.set(socket, setTimeout(cut, this.#headTimeoutMs).unref());
  }

  #add(line: Line, count: number, bytes: number): void {
    line.bytes += bytes;
    this.#count += count;
    this.#bytes += bytes;
  }
}

/** A server of Node's with its own time-outs. */
export function serverInTurn(handler: Handler): Server {
  const turns = new Turns();
  const server = createServer(turns.handler(handler));
  turns.watch(server);
  return server;
}

function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length + TEXT_COST_BYTES, url.length);
}
