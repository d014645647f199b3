/** `/console/ws`: connections of the console. Nothing is sampled and no timer runs while there is none. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CLOSE_UNAUTHORIZED,
  type ConsoleLanguage,
  FIGURES_INTERVAL_MS,
  type FiguresMessage,
  MESSAGE_BYTES_MAX,
  SUBPROTOCOL,
} from '@sbx/console/wire';
import type { Runner } from '@sbx/core';
import {
  type EntryCheck,
  FOREIGN_PAGE,
  offeredProtocols,
  refuseUpgrade,
  SOCKET_OPTIONS,
  spreadMessages,
} from '@sbx/serving';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Protocol } from '../options.js';
import type { Part } from '../parts/part.js';
import { ClusterView } from './cluster.js';
import { LiveConnection } from './connection.js';
import { askLanguages, makeHello } from './hello.js';
import type { Recorder } from './recorder.js';
import type { RunningRuns } from './running.js';

const GOING_AWAY = 1001;
const INTERNAL = 1011;
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

export interface HubParts {
  engine: Runner;
  parts: readonly Part[];
  recorders: ReadonlyMap<Protocol, Recorder>;
  running: RunningRuns;
  check: EntryCheck;
  connectionCountMax: number;
  watchCountMax: number;
}

export class LiveHub {
  readonly #hub: HubParts;
  readonly #openedAt = performance.now();
  readonly #connections = new Map<WebSocket, LiveConnection>();
  readonly #server = new WebSocketServer({
    ...SOCKET_OPTIONS,
    maxPayload: MESSAGE_BYTES_MAX,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  /** `null`: programs run on this machine. */
  readonly #cluster: ClusterView | null;
  #languages: Promise<ConsoleLanguage[]> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(hub: HubParts) {
    this.#hub = hub;
    this.#cluster = hub.engine.workers === undefined ? null : new ClusterView(hub.engine);
    this.#server.on('wsClientError', ({ message }: Error, socket: Duplex) =>
      refuseUpgrade(socket, '400 Bad Request', TEXT, `${message}\n`),
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const objection = this.#hub.check(request);
    if (objection === 'foreign-page') return refuseUpgrade(socket, '403 Forbidden', TEXT, FOREIGN_PAGE);
    const isTold = offeredProtocols(request).includes(SUBPROTOCOL);
    if (objection === 'no-token' && !isTold) {
      return refuseUpgrade(socket, '401 Unauthorized', { 'WWW-Authenticate': 'Bearer' }, '');
    }
    if (this.#isClosing || this.#connections.size >= this.#hub.connectionCountMax) {
      return refuseUpgrade(socket, '503 Service Unavailable', { 'Retry-After': '1' }, '');
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      spreadMessages(opened);
      if (objection === null) return this.#serve(opened);
      opened.on('error', () => opened.terminate());
      opened.close(CLOSE_UNAUTHORIZED, 'the token is missing or wrong');
    });
  }

  close(): void {
    this.#isClosing = true;
    clearInterval(this.#timer);
    for (const socket of this.#connections.keys()) {
      socket.close(GOING_AWAY, 'the server is shutting down');
      setTimeout(() => socket.terminate(), 1000).unref();
    }
  }

  #serve(socket: WebSocket): void {
    const { running, watchCountMax } = this.#hub;
    const connection = new LiveConnection({ socket, running, watchCountMax });
    this.#connections.set(socket, connection);
    if (this.#connections.size === 1) this.#start();
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size === 0) clearInterval(this.#timer);
    });
    void this.#greet(socket, connection);
  }

  /** Languages are asked for once, at the first connection. One that fails is asked again at the next. */
  async #greet(socket: WebSocket, connection: LiveConnection): Promise<void> {
    const { engine, parts } = this.#hub;
    this.#languages ??= askLanguages(engine, parts);
    try {
      if (!engine.isReady) this.#sendHello(connection, []); // it is waited for a worker
      this.#sendHello(connection, await this.#languages);
    } catch {
      this.#languages = null;
      socket.close(INTERNAL, 'the engine could not be asked; try again');
    }
  }

  #sendHello(connection: LiveConnection, installed: ConsoleLanguage[]): void {
    const { engine, parts } = this.#hub;
    connection.send(makeHello(engine, parts, installed));
    if (this.#cluster !== null) connection.sendText(this.#cluster.text());
    connection.send(this.#figures());
  }

  #start(): void {
    this.#timer = setInterval(() => {
      const text = JSON.stringify(this.#figures());
      const cluster = this.#cluster?.text();
      for (const connection of this.#connections.values()) {
        connection.sendText(text);
        if (cluster !== undefined) connection.sendChanged(cluster);
      }
    }, FIGURES_INTERVAL_MS).unref();
  }

  #figures(): FiguresMessage {
    const { engine, parts, recorders } = this.#hub;
    const { byStatus: _byStatus, ...counters } = engine.counters();
    const { cpuTimeMs = null, memoryBytes = null } = engine.usage?.() ?? {};
    const protocols = parts.map(
      (part) => [part.protocol, { ...part.load(), ...recorders.get(part.protocol)!.figures() }] as const,
    );
    return {
      type: 'figures',
      atMs: performance.now() - this.#openedAt,
      engine: counters,
      usage: { cpuTimeMs, memoryBytes },
      protocols: Object.fromEntries(protocols),
    };
  }
}
