/** Upgrades: who may, to what, and the care of open connections. */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from '@sbx/gojudge-client/wire';
import {
  keepAlive,
  protocolToken,
  refuseUpgrade,
  SOCKET_OPTIONS,
  spreadMessages,
  watchHalfSent,
} from '@sbx/serving';
import type { WebSocket, WebSocketServer } from 'ws';
import type { EntryCheck, EntryHeaders } from '../http/entry.js';
import { pathOf } from '../http/request-path.js';
import type { ServerContext } from '../judge/run-job.js';
import { AnswerFlow } from './answer-flow.js';
import { NO_UPGRADE_HEADERS, noUpgradeBody, upgradeProblem } from './no-upgrade.js';
import { ReadGate } from './read-gate.js';
import { RequestSocket } from './request-socket.js';
import { StreamSocket } from './stream-socket.js';

/** Only pongs count as life, as with go-judge, and that a peer takes what is sent to it. */
const ALIVE = { pingMs: 50_000, silenceMs: 60_000 };

/** How soon it is seen that a client has gone whose socket is not read, while a program waits for input. */
const STREAM_PROBE_MS = 100;
const PROBE_MS = 1000;
/** What waits for room cannot say that it is alive. */
const WAITING_ALIVE_MS = 10_000;

interface Served {
  /** What it sends next may be a request. */
  readonly bringsRequests: boolean;
  /** Resolves when nothing of it runs. */
  idle(): Promise<unknown>;
  /** The connection is gone: everything of it is cancelled. */
  lost(): void;
}

interface Open {
  served: Served;
  gate: ReadGate;
  alive(): void;
}

const require = createRequire(import.meta.url);

const REFUSALS = { 401: '401 Unauthorized', 403: '403 Forbidden' };

export class Sockets {
  readonly #context: ServerContext;
  readonly #checkEntry: EntryCheck;
  readonly #open = new Map<WebSocket, Open>();
  #waiting: NodeJS.Timeout | undefined;
  #server: WebSocketServer | null = null;

  constructor(context: ServerContext, checkEntry: EntryCheck) {
    this.#context = context;
    this.#checkEntry = checkEntry;
    context.room.onChange = (isFull) => this.#onRoom(isFull);
  }

  /** Takes `/ws` and `/stream`; refuses the rest. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = pathOf(request.url ?? '');
    const refusal = this.#checkEntry(withToken(request), request.socket);
    if (refusal !== 0) return refuseUpgrade(socket, REFUSALS[refusal], {}, '');
    if (!isSocketPath(path)) {
      return refuseUpgrade(socket, '404 Not Found', { 'Content-Type': 'text/plain' }, '404 page not found');
    }
    const problem = upgradeProblem(request);
    if (problem !== null)
      return refuseUpgrade(socket, '400 Bad Request', NO_UPGRADE_HEADERS, noUpgradeBody(problem));
    const server = this.#loadServer();
    if (server === null) return refuseUpgrade(socket, '503 Service Unavailable', {}, '');
    server.handleUpgrade(request, socket, head, (opened) => {
      watchHalfSent(opened, request.socket, this.#context.receiving);
      spreadMessages(opened);
      this.#serve(opened, request.socket, path);
    });
  }

  /**
   * Made at the first upgrade: loading `ws`, with the TLS and the compression that it asks for, takes 15 ms
   * of CPU and memory for good. `null` where it cannot be loaded now, for want of descriptors; the next
   * upgrade tries again, which a failed `import` would not.
   */
  #loadServer(): WebSocketServer | null {
    if (this.#server !== null) return this.#server;
    try {
      const ws = require('ws') as typeof import('ws');
      this.#server = new ws.WebSocketServer({
        ...SOCKET_OPTIONS,
        handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
        skipUTF8Validation: true, // Go does not look, and single bytes are replaced when the JSON is read
        maxPayload: this.#context.settings.frameMaxBytes,
      });
    } catch {
      return null;
    }
    return this.#server;
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ served }) => served.idle()));
  }

  close(): void {
    for (const [socket, { served }] of this.#open) {
      served.lost();
      socket.terminate();
    }
  }

  /** Who may bring more requests is not read while there is no room for them. */
  #onRoom(isFull: boolean): void {
    const { room } = this.#context;
    for (const { served, gate } of this.#open.values()) {
      if (!isFull) gate.open(room);
      else if (served.bringsRequests) gate.close(room);
    }
    clearInterval(this.#waiting);
    if (isFull) this.#waiting = setInterval(() => this.#keepWaiting(), WAITING_ALIVE_MS).unref();
  }

  #keepWaiting(): void {
    for (const { served, alive } of this.#open.values()) if (served.bringsRequests) alive();
  }

  #serve(socket: WebSocket, connection: Socket, path: string): void {
    const { alive, stop } = keepAlive(socket, ALIVE);
    const { unsent, room } = this.#context;
    const gate = new ReadGate(socket, path === '/stream' ? STREAM_PROBE_MS : PROBE_MS);
    const out = new AnswerFlow(socket, connection, { unsent, gate, alive });
    const served: Served =
      path === '/ws'
        ? new RequestSocket(this.#context, socket, out)
        : new StreamSocket(this.#context, socket, { out, gate });
    this.#open.set(socket, { served, gate, alive });
    if (room.isFull) gate.close(room);
    socket.on('error', () => socket.terminate()); // `ws` has told the peer already
    socket.once('close', () => {
      stop();
      out.stop();
      gate.stop();
      served.lost();
      this.#open.delete(socket);
    });
  }
}

/** Else it is answered as any request: Java offers `h2c` with every first one. */
export function isForSocket({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && isSocketPath(pathOf(url));
}

/** The headers of an upgrade, with the token that a browser had to offer as a subprotocol. */
function withToken(request: IncomingMessage): EntryHeaders {
  const { headers } = request;
  const token = headers.authorization === undefined ? protocolToken(request, TOKEN_SUBPROTOCOL_PREFIX) : '';
  return token === '' ? headers : { ...headers, authorization: `Bearer ${token}` };
}

function isSocketPath(path: string | null): path is '/ws' | '/stream' {
  return path === '/ws' || path === '/stream';
}
