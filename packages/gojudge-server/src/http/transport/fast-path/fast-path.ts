/**
 * The HTTP fast path: simple requests bypass Node's HTTP server, whose objects and events cost as much per
 * small request as all of our own code (decision 20).
 */
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { onFull } from '@sbx/serving';
import type { ServerContext } from '../../../judge/run-job.js';
import type { Observe, RequestWatch } from '../../../metrics/metrics.js';
import type { EntryCheck, EntryHeaders } from '../../entry.js';
import type { RequestContext } from '../../request-context.js';
import { errorResponse, type Response } from '../../responses.js';
import { findSimple, type Matched } from '../../routes.js';
import { sendChunked } from './chunked.js';
import { FastPathConnection, type FastPathHost } from './connection.js';
import type { SimpleRequest } from './request.js';

type Responding = Extract<Matched, { kind: 'answer' }>;

export class FastPath {
  readonly #context: ServerContext;
  readonly #checkEntry: EntryCheck;
  readonly #watch: RequestWatch | null;
  readonly #connections = new Set<FastPathConnection>();
  #isClosing = false;

  constructor(context: ServerContext, checkEntry: EntryCheck, watch: RequestWatch | null) {
    this.#context = context;
    this.#checkEntry = checkEntry;
    this.#watch = watch;
  }

  /** Connections of this server come here first. To be called before anybody else listens for them. */
  attach(server: Server): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const fastPath = this;
    const host: FastPathHost = {
      serve: (request, incoming) => this.#serve(request, incoming),
      handOver(connection, socket) {
        fastPath.#connections.delete(connection);
        for (const listener of listeners) listener.call(server, socket);
      },
      closed: (connection) => void this.#connections.delete(connection),
      get isClosing() {
        return fastPath.#isClosing;
      },
    };
    server.on('connection', (socket) => this.#connections.add(new FastPathConnection(socket, host)));
    onFull(server, () => {
      for (const connection of this.#connections) if (connection.isIdle) connection.destroy();
    });
  }

  /** Nothing new is begun; who waits for an answer gets it. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const connection of this.#connections) if (connection.answering === null) connection.destroy();
  }

  async drained(): Promise<void> {
    await Promise.all([...this.#connections].map(({ answering }) => answering));
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #serve(
    { method, path, headers, bodyBytes }: SimpleRequest,
    incoming: RequestContext,
  ): Promise<void> | null {
    if (bodyBytes > this.#context.settings.bodyMaxBytes) return null;
    const check = (sent: EntryHeaders) => this.#checkEntry(sent, incoming.socket);
    const found = findSimple(check, method, path, headers);
    if (found === null || found.kind === 'stream') return null;
    return this.#answer(found, incoming, this.#watch?.watchSimple(method, bodyBytes, path));
  }

  async #answer(
    { handle, id, pattern }: Responding,
    incoming: RequestContext,
    observe: Observe | undefined,
  ): Promise<void> {
    const { socket } = incoming;
    let answer: Response;
    try {
      const made = handle(this.#context, incoming, id);
      answer = made instanceof Promise ? await made : made;
    } catch (error) {
      answer = errorResponse(error, this.#context.settings.strict);
    }
    let bytes = 0;
    try {
      if (!socket.destroyed) bytes = await this.#write(socket, answer);
    } catch {
      socket.destroy(); // no memory for it: the client sees that it is cut off
    }
    observe?.(pattern, answer.status, bytes);
  }

  /**
   * An answer as Node's HTTP server would write it, header by header. Resolves with the body's size when the
   * kernel takes more, or the client is gone. What a socket takes without saying that it is full is not
   * counted: that is the small change of a connection.
   */
  async #write(socket: Socket, answer: Response): Promise<number> {
    const { headers, body } = answer;
    if (typeof body === 'string') {
      const whole = headOf(answer, this.#isClosing, '') + body;
      if (!socket.write(whole)) await this.#context.unsent.during(socket, whole.length, drained(socket));
      return Number(headers['Content-Length']);
    }
    socket.write(headOf(answer, this.#isClosing, 'Transfer-Encoding: chunked\r\n'));
    return this.#context.unsent.during(socket, body.heldBytes, sendChunked(socket, body.chunks));
  }
}

function headOf({ status, headers }: Response, isLast: boolean, framing: string): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}Date: ${date()}\r\nConnection: ${isLast ? 'close' : 'keep-alive'}\r\n${framing}\r\n`;
}

let second = 0;
let text = '';

/** Made once a second. */
function date(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return text;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
    if (socket.destroyed) done();
  });
}
