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
import { refuseUpgrade } from '@sbx/serving';
import { type WebSocket, WebSocketServer } from 'ws';
import { Connection, type Host } from '../connection/connection.js';
import { errorMessage } from '../errors.js';
import { chosenProtocol, type EntryCheck, isVersionSupported } from './entry.js';
import { pathOf, UNAUTHORIZED } from './routes.js';

const VERSION = { [VERSION_HEADER]: String(PROTOCOL_VERSION) };
/** For the close frame of a peer that was turned away. */
const GOODBYE_MS = 2000;

export class Upgrades {
  readonly #host: Host;
  readonly #check: EntryCheck;
  readonly #server: WebSocketServer;
  readonly #open = new Set<Connection>();
  #count = 0;

  constructor(host: Host, check: EntryCheck) {
    this.#host = host;
    this.#check = check;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: host.options.messageBytesMax,
      handleProtocols: chosenProtocol,
    });
    this.#server.on('headers', (headers) => {
      for (const [name, value] of Object.entries(VERSION)) headers.push(`${name}: ${value}`);
    });
    this.#server.on('wsClientError', ({ message }, socket, { method }) => {
      if (method === 'GET') refuse(socket, 400, { 'Sec-WebSocket-Version': '13, 8' }, message);
      else refuse(socket, 405, { Allow: 'GET' }, message);
    });
  }

  get openCount(): number {
    return this.#open.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { path, connectionCountMax } = this.#host.options;
    if (pathOf(request) !== path) return refuse(socket, 404);
    const objection = this.#check(request);
    if (objection === 'no-token') return refuse(socket, 401, UNAUTHORIZED);
    if (objection === 'foreign-origin') return refuse(socket, 403);
    if (this.#host.isClosing() || this.#open.size >= connectionCountMax) {
      return refuse(socket, 503, { 'Retry-After': '1' });
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      if (isVersionSupported(request)) this.#serve(opened);
      else turnAway(opened);
    });
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

/** The error needs an open connection, so it is opened first. */
function turnAway(socket: WebSocket): void {
  const rule = `X-Protocol-Version: must be ${PROTOCOL_VERSION}, the supported version`;
  socket.on('error', () => socket.terminate());
  socket.send(encodeMessage(errorMessage('INVALID_REQUEST', rule), new Stamper().now()));
  socket.close(CLOSE_CODES.versionNotSupported, `supported version: ${PROTOCOL_VERSION}`);
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
