/** The server: engine, store and workers behind HTTP and WebSockets. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Runner } from '@sbx/core';
import { after, createHttpServer, endSlowBody } from '@sbx/serving';
import { makeEntryCheck } from './http/entry.js';
import type { RequestLog } from './http/request-log.js';
import { FastPath } from './http/transport/fast-path/fast-path.js';
import { serveRequest } from './http/transport/node/adapter.js';
import type { Metrics, RequestWatch } from './metrics/metrics.js';
import { openMetrics } from './metrics/open.js';
import { openParts, type Parts } from './open.js';
import { type GojudgeServerOptions, parseOptions } from './options.js';
import { listenOn } from './process/listen.js';
import { isForSocket, Sockets } from './ws/sockets.js';

/** An open server; see `createGojudgeServer`. */
export interface GojudgeServer extends AsyncDisposable {
  /** Answers HTTP requests: for `http.createServer`, express and the like. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Takes WebSocket upgrades: for the event `upgrade` of an `http.Server`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Listens on `host` and `port`, and on `monitorAddr` when enabled. Resolves with the addresses, ports
   * decided.
   */
  listen(): Promise<{ urls: string[]; monitorUrls: string[] }>;
  /** Runs go through it. */
  readonly engine: Runner;
  /** Requests that run and that wait for a worker. */
  load(): { active: number; waiting: number };
  /** The text of `/metrics`; empty without `enableMetrics`. */
  metrics(): Promise<string>;
  /**
   * Refuses new requests, waits `shutdownMs` for running ones, kills the rest, removes a memory-backed store.
   * Safe to call twice.
   */
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
  return openServer(options, null);
}

/** The same for the command, which logs requests when it is asked to: a library does not. */
export async function openServer(
  options: GojudgeServerOptions,
  requestLog: RequestLog | null,
): Promise<GojudgeServer> {
  const resolved = parseOptions(options);
  const metrics = await openMetrics(resolved.enableMetrics);
  return new OpenServer(await openParts(resolved, metrics), metrics, requestLog);
}

class OpenServer implements GojudgeServer {
  readonly #parts: Parts;
  readonly #metrics: Metrics | null;
  readonly #requestLog: RequestLog | null;
  /** Sees each request. */
  readonly #watch: RequestWatch | null;
  readonly #checkEntry;
  readonly #sockets: Sockets;
  readonly #fastPath: FastPath;
  readonly #servers: Server[] = [];
  readonly #busy = new Set<Promise<unknown>>();
  #closed: Promise<void> | null = null;

  constructor(parts: Parts, metrics: Metrics | null, requestLog: RequestLog | null) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#requestLog = requestLog;
    this.#watch = requestLog === null ? metrics : requestLog.before(metrics);
    this.#checkEntry = makeEntryCheck(parts.settings);
    this.#sockets = new Sockets(parts.context, this.#checkEntry);
    this.#fastPath = new FastPath(parts.context, this.#checkEntry, this.#watch);
  }

  get engine(): Runner {
    return this.#parts.context.engine;
  }

  load(): { active: number; waiting: number } {
    const { running, waiting } = this.#parts.context.workers;
    return { active: running, waiting };
  }

  async metrics(): Promise<string> {
    return this.#metrics === null ? '' : (await this.#metrics.read()).text;
  }

  handler = (request: IncomingMessage, response: ServerResponse): void => {
    endSlowBody(request);
    const observe = this.#watch?.watchHttp(request, response);
    const answered = serveRequest(this.#parts.context, this.#checkEntry, request, response).then(observe);
    this.#busy.add(answered);
    void answered.finally(() => this.#busy.delete(answered));
  };

  handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.#requestLog?.watchSocket(request, socket);
    this.#sockets.upgrade(request, socket, head);
  };

  async listen(): Promise<{ urls: string[]; monitorUrls: string[] }> {
    const { httpAddr, monitorAddr, enableMetrics, enableDebug } = this.#parts.options;
    const urls = await listenOn(httpAddr, () => this.#createServer());
    if (!enableMetrics && !enableDebug) return { urls, monitorUrls: [] };
    const { openMonitor } = await import('./metrics/server.js');
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
    const server = createHttpServer({
      handler: this.handler,
      ownsUpgrade: isForSocket,
      upgrade: this.handleUpgrade,
    });
    this.#fastPath.attach(server);
    return this.#keep(server);
  }

  #keep(server: Server): Server {
    this.#servers.push(server);
    return server;
  }

  async #close(): Promise<void> {
    const { context, options, ownEngine } = this.#parts;
    context.workers.close();
    for (const server of this.#servers) server.close();
    for (const server of this.#servers) server.closeIdleConnections();
    this.#fastPath.closeIdle();
    await Promise.race([this.#drained(), after(options.shutdownMs)]);
    this.#sockets.close();
    for (const server of this.#servers) server.closeAllConnections();
    this.#fastPath.destroy();
    if (ownEngine) await context.engine.close();
    await Promise.race([this.#drained(), after(options.shutdownMs)]);
    await context.store.close();
  }

  async #drained(): Promise<void> {
    await Promise.allSettled([...this.#busy, this.#fastPath.drained(), this.#sockets.idle()]);
  }
}
