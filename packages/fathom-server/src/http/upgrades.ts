/** Upgrades: who may, and the care of open connections. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CLOSE_CODES,
  encodeMessage,
  PROTOCOL_VERSION,
  Stamper,
  VERSION_HEADER,
} from '@sbx/fathom-client/wire';
import {
  type EntryCheck,
  FOREIGN_PAGE,
  Receiving,
  refuseUpgrade,
  SOCKET_OPTIONS,
  spreadMessages,
  watchHalfSent,
} from '@sbx/serving';
import { type WebSocket, WebSocketServer } from 'ws';
import { Connection, type Host } from '../connection/connection.js';
import { errorMessage } from '../errors.js';
import { chosenProtocol, isVersionSupported, offersProtocol } from './entry.js';
import { pathOf, UNAUTHORIZED } from './routes.js';

const VERSION = { [VERSION_HEADER]: String(PROTOCOL_VERSION) };
/** For the close frame of a peer that was turned away. */
const GOODBYE_MS = 2000;
/** Nothing of a peer that is turned away is read, except its close frame. */
const GOODBYE_BYTES_MAX = 1024;
/** Of messages of all connections that have not come whole. */
const RECEIVE_BYTES_MAX = 512 * 2 ** 20;
const SHARED = { ...SOCKET_OPTIONS, handleProtocols: chosenProtocol };

export class Upgrades {
  readonly #host: Host;
  readonly #check: EntryCheck;
  readonly #server: WebSocketServer;
  /** For those that are told why they may not, once connected. */
  readonly #goodbyes = new WebSocketServer({ ...SHARED, maxPayload: GOODBYE_BYTES_MAX });
  readonly #open = new Set<Connection>();
  readonly #receiving: Receiving;
  #count = 0;

  constructor(host: Host, check: EntryCheck, receiveBytesMax = RECEIVE_BYTES_MAX) {
    this.#receiving = new Receiving(receiveBytesMax);
    this.#host = host;
    this.#check = check;
    this.#server = new WebSocketServer({ ...SHARED, maxPayload: host.options.messageBytesMax });
    for (const server of [this.#server, this.#goodbyes]) {
      server.on('headers', addVersion);
      server.on('wsClientError', onClientError);
    }
  }

  get openCount(): number {
    return this.#open.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { path, connectionCountMax } = this.#host.options;
    if (pathOf(request) !== path) return refuse(socket, 404);
    const objection = this.#check(request);
    const isTold = objection === 'no-token' && offersProtocol(request);
    if (objection === 'no-token' && !isTold) return refuse(socket, 401, UNAUTHORIZED);
    if (objection === 'foreign-page') return refuse(socket, 403, {}, FOREIGN_PAGE.trimEnd());
    if (this.#host.isClosing || this.#open.size >= connectionCountMax) {
      return refuse(socket, 503, { 'Retry-After': '1' });
    }
    if (isTold) return this.#goodbyes.handleUpgrade(request, socket, head, refuseToken);
    if (isVersionSupported(request)) {
      return this.#server.handleUpgrade(request, socket, head, (opened) => {
        watchHalfSent(opened, request.socket, this.#receiving);
        spreadMessages(opened);
        this.#serve(opened);
      });
    }
    this.#goodbyes.handleUpgrade(request, socket, head, refuseVersion);
  }

  /** Tells every client, and closes. */
  close(): void {
    for (const connection of this.#open) connection.close();
  }

  /** Resolves when nothing of any execution is left. */
  async idle(): Promise<void> {
    await Promise.all([...this.#open].map((connection) => connection.idle()));
  }

  #serve(socket: WebSocket): void {
    this.#count += 1;
    const connection = new Connection(socket, this.#host, this.#count);
    this.#open.add(connection);
    // Orphans live on for a little: the connection counts until they are gone.
    socket.once('close', () => void connection.idle().then(() => this.#open.delete(connection)));
  }
}

function addVersion(headers: string[]): void {
  for (const [name, value] of Object.entries(VERSION)) headers.push(`${name}: ${value}`);
}

function onClientError({ message }: Error, socket: Duplex, { method }: IncomingMessage): void {
  if (method === 'GET') refuse(socket, 400, { 'Sec-WebSocket-Version': '13, 8' }, message);
  else refuse(socket, 405, { Allow: 'GET' }, message);
}

/** The error needs an open connection, so it is opened first. */
function refuseVersion(socket: WebSocket): void {
  const rule = `X-Protocol-Version: must be ${PROTOCOL_VERSION}, the supported version`;
  socket.send(encodeMessage(errorMessage('INVALID_REQUEST', rule), new Stamper().now()));
  turnAway(socket, CLOSE_CODES.versionNotSupported, `supported version: ${PROTOCOL_VERSION}`);
}

/**
 * Where a token can only come as a subprotocol, the 401 of a refused upgrade cannot be seen: such clients
 * would try for ever.
 */
function refuseToken(socket: WebSocket): void {
  turnAway(socket, CLOSE_CODES.unauthorized, 'the token is missing or wrong');
}

function turnAway(socket: WebSocket, code: number, reason: string): void {
  socket.on('error', () => socket.terminate());
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
}

function refuse(
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  why = STATUS_CODES[status]!.toLowerCase(),
): void {
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  refuseUpgrade(socket, `${status} ${STATUS_CODES[status]}`, { ...VERSION, ...type, ...headers }, `${why}\n`);
}
