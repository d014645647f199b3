/** The server: engine, store and workers behind HTTP and WebSockets. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Engine } from '@sbx/core';
import { after } from '@sbx/serving';
import { serveRequest } from './http/carrier.js';
import { makeEntryCheck } from './http/entry.js';
import { continueWhenRead } from './http/expect.js';
import { keepPace } from './http/pace.js';
import { Lane } from './lane/lane.js';
import { listenOn } from './listen.js';
import { type Metrics, openMetrics } from './monitor/metrics.js';
import { openParts, type Parts } from './open.js';
import { type GojudgeServerOptions, parseOptions } from './options.js';
import { isForSocket, Sockets } from './socket/sockets.js';

/** An open server; see `createGojudgeServer`. */
export interface GojudgeServer extends AsyncDisposable {
  /** Answers HTTP requests: for `http.createServer`, express and the like. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Takes WebSocket upgrades: for the event `upgrade` of an `http.Server`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Listens on `host` and `port`, and on `monitorAddr` when enabled. Resolves with the addresses, ports decided. */
  listen(): Promise<{ urls: string[]; monitorUrls: string[] }>;
  /** Runs go through it. */
  readonly engine: Engine;
  /** Refuses new requests, waits `shutdownMs` for running ones, kills the rest, removes a memory-backed store. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens engine and file store; listens nowhere yet. Throws as `Engine.open` does.
 *
 * @example
 * ```ts
 * await using server = await createGojudgeServer({ port: 5050, parallelism: 4 });
 * await server.listen();
 * ```
 */
export async function createGojudgeServer(options: GojudgeServerOptions = {}): Promise<GojudgeServer> {
  const resolved = parseOptions(options);
  const metrics = await openMetrics(resolved.enableMetrics);
  return new OpenServer(await openParts(resolved, metrics), metrics);
}

/** As Go has both. */
const HEADER_BYTES_MAX = 2 ** 20;
const TCP_PROBE_MS = 15_000;

class OpenServer implements GojudgeServer {
  readonly #parts: Parts;
  readonly #metrics: Metrics;
  readonly #checkEntry;
  readonly #sockets: Sockets;
  readonly #lane: Lane;
  readonly #servers: Server[] = [];
  readonly #busy = new Set<Promise<unknown>>();
  #closed: Promise<void> | null = null;

  constructor(parts: Parts, metrics: Metrics) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#checkEntry = makeEntryCheck(parts.settings);
    this.#sockets = new Sockets(parts.judge, this.#checkEntry);
    this.#lane = new Lane(parts.judge, this.#checkEntry, metrics);
  }

  get engine(): Engine {
    return this.#parts.judge.engine;
  }

  handler = (request: IncomingMessage, response: ServerResponse): void => {
    keepPace(request);
    const observe = this.#metrics.watchHttp(request, response);
    const answered = serveRequest(this.#parts.judge, this.#checkEntry, request, response).then(observe);
    this.#busy.add(answered);
    void answered.finally(() => this.#busy.delete(answered));
  };

  handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.#sockets.upgrade(request, socket, head);
  };

  async listen(): Promise<{ urls: string[]; monitorUrls: string[] }> {
    const { httpAddr, monitorAddr, enableMetrics, enableDebug } = this.#parts.options;
    const urls = await listenOn(httpAddr, () => this.#createServer());
    if (!enableMetrics && !enableDebug) return { urls, monitorUrls: [] };
    const { openMonitor } = await import('./monitor/server.js');
    const monitorUrls = await listenOn(monitorAddr, () =>
      this.#keep(openMonitor(this.#metrics, this.#parts)),
    );
    return { urls, monitorUrls };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #createServer(): Server {
    // No time-outs of Node's: uploads and runs take what they take, and limits of runs are the programs' own.
    // Connections wait for the next request as long as their clients are there, so that no client meets one that is just being closed.
    const server = createServer(
      {
        requestTimeout: 0,
        headersTimeout: 60_000,
        keepAliveTimeout: 0,
        keepAlive: true,
        keepAliveInitialDelay: TCP_PROBE_MS,
        maxHeaderSize: HEADER_BYTES_MAX,
        shouldUpgradeCallback: isForSocket,
      } as ServerOptions, // Node's types of version 20 do not know the last one
      this.handler,
    );
    // A client that closes its sending side still gets its answer.
    (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    server.on('checkContinue', (request, response) => {
      continueWhenRead(request, response);
      this.handler(request, response);
    });
    server.on('upgrade', (request, socket, head) =>
      this.#sockets.upgradeOrAnswer(server, request, socket, head),
    );
    this.#lane.attach(server);
    return this.#keep(server);
  }

  #keep(server: Server): Server {
    this.#servers.push(server);
    return server;
  }

  async #close(): Promise<void> {
    const { judge, options, ownEngine } = this.#parts;
    judge.workers.close();
    for (const server of this.#servers) server.close();
    for (const server of this.#servers) server.closeIdleConnections();
    this.#lane.closeIdle();
    await Promise.race([this.#drained(), after(options.shutdownMs)]);
    this.#sockets.close();
    for (const server of this.#servers) server.closeAllConnections();
    this.#lane.destroy();
    if (ownEngine) await judge.engine.close();
    await Promise.race([this.#drained(), after(options.shutdownMs)]);
    await judge.store.close();
  }

  async #drained(): Promise<void> {
    await Promise.allSettled([...this.#busy, this.#lane.drained(), this.#sockets.idle()]);
  }
}
