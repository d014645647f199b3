/** The server: engine, languages, places and connections behind one port. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DEFAULT_MOUNTS, Engine, type Runner } from '@sbx/core';
import { executeSchema } from '@sbx/fathom-client/schemas';
import { minimalRoot, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import {
  after,
  createHttpServer,
  endSlowBody,
  listenAt,
  makeEntryCheck,
  RequestRoom,
  Unsent,
  unreadyReason,
} from '@sbx/serving';
import { Admission, type AdmissionBounds } from './admission.js';
import type { Host } from './connection/connection.js';
import { fieldsOf } from './connection/request.js';
import { presentedToken } from './http/entry.js';
import { type RouteParts, route } from './http/routes.js';
import { Upgrades } from './http/upgrades.js';
import { ServerMetrics } from './metrics.js';
import { type FathomServerOptions, parseOptions, type ResolvedOptions } from './options.js';
import { Runtime } from './runtime.js';

/** An open server; see `createFathomServer`. */
export interface FathomServer extends AsyncDisposable {
  /**
   * Answers plain HTTP requests: `/metrics`, `/healthz`, `/readyz`. For `http.createServer`, express and the
   * like.
   */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Takes WebSocket upgrades: for the event `upgrade` of an `http.Server`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Listens on `host` and `port`. Resolves with the addresses of the WebSocket, ports decided. */
  listen(): Promise<{ urls: string[] }>;
  /** Executions run on it. */
  readonly engine: Runner;
  /** The languages on offer. */
  readonly languages: readonly string[];
  /** Resolves when the interpreters of `standby` wait, or cannot; executions are served before that too. */
  ready(): Promise<void>;
  /** Executions that run and that wait. */
  load(): { active: number; waiting: number };
  /** The text of `/metrics`. */
  metrics(): Promise<string>;
  /** Takes nothing new, waits `drainMs`, tells every client, kills what runs. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the engine and finds out which languages are there; listens nowhere yet. Throws as `Engine.open`
 * does, and `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * await using server = await createFathomServer({ port: 8765, token: process.env.TOKEN });
 * await server.listen();
 * ```
 */
export async function createFathomServer(options: FathomServerOptions = {}): Promise<FathomServer> {
  const resolved = parseOptions(options);
  const engine = resolved.engine ?? (await openEngine(resolved));
  try {
    return new OpenServer(resolved, engine, await Runtime.open(engine, resolved));
  } catch (error) {
    if (resolved.engine === undefined) await engine.close();
    throw error;
  }
}

/** A quarter, at least one. */
function spareOf(count: number): number {
  return Math.ceil(count / 4);
}

function admissionBounds(options: ResolvedOptions): AdmissionBounds {
  const { parallelism: places, queueLength } = options;
  return {
    places,
    queueLength,
    sparePlaces: spareOf(places),
    spareQueueLength: spareOf(queueLength),
    sharePlaces: options.parallelismPerConnection ?? places,
    shareQueueLength: options.queueLengthPerConnection ?? queueLength,
  };
}

/** Sandboxes beyond those of executions: asking for languages, and those that are being given up. */
const SANDBOXES_SPARE = 64;
const READY_MAX = 16;

function openEngine({ parallelism, standby, require, root, languages }: ResolvedOptions): Promise<Engine> {
  const waiting = Object.values(standby).reduce((sum, count) => sum + count, 0);
  return Engine.open({
    // Besides those that have a place: those that are parked.
    maxSandboxes: parallelism * 2 + spareOf(parallelism) + waiting + SANDBOXES_SPARE,
    readyCount: Math.min(parallelism, READY_MAX),
    mounts: [...(root === 'host' ? DEFAULT_MOUNTS : []), ...TOLD_MEMORY_MOUNTS],
    root: root === 'host' ? root : minimalRoot(languages),
    ...(require === undefined ? {} : { require }),
  });
}

class OpenServer implements FathomServer {
  readonly engine: Runner;
  readonly #options: ResolvedOptions;
  readonly #host: Host;
  readonly #runtime: Runtime;
  readonly #admission: Admission;
  readonly #metrics = new ServerMetrics();
  readonly #upgrades: Upgrades;
  readonly #routes: RouteParts;
  readonly #servers: Server[] = [];
  #closed: Promise<void> | null = null;

  constructor(options: ResolvedOptions, engine: Runner, runtime: Runtime) {
    this.#options = options;
    this.engine = engine;
    this.#runtime = runtime;
    this.#admission = new Admission(admissionBounds(options));
    const check = makeEntryCheck({ ...options, presentedToken });
    this.#host = this.#makeHost();
    this.#upgrades = new Upgrades(this.#host, check);
    this.#routes = {
      path: options.path,
      check,
      metrics: { contentType: this.#metrics.registry.contentType, metrics: () => this.metrics() },
      problem: () => this.#problem(),
    };
    this.#metrics.watchStandby(() => this.#runtime.standbyCounts());
    this.#metrics.watch({
      sbx_fathom_active_executions: ['Executions that run', () => this.#admission.active],
      sbx_fathom_queue_depth: ['Executions that wait', () => this.#admission.waiting],
      sbx_fathom_connections: ['Open connections', () => this.#upgrades.openCount],
    });
  }

  ready(): Promise<void> {
    return this.#runtime.ready();
  }

  get languages(): readonly string[] {
    return this.#runtime.names;
  }

  load(): { active: number; waiting: number } {
    const { active, waiting } = this.#admission;
    return { active, waiting };
  }

  async metrics(): Promise<string> {
    const pages = [await this.#metrics.registry.metrics(), this.engine.metrics?.() ?? ''];
    return pages.filter((page) => page !== '').join('\n');
  }

  handler = (request: IncomingMessage, response: ServerResponse): void => {
    void route(this.#routes, request, response);
  };

  handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.#upgrades.upgrade(request, socket, head);
  };

  async listen(): Promise<{ urls: string[] }> {
    const { host, port, path } = this.#options;
    const urls = await listenAt(host, port, () => this.#createServer());
    return { urls: urls.map((url) => url.replace('http', 'ws') + path) };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #makeHost(): Host {
    const options = this.#options;
    const runtime = this.#runtime;
    return {
      options,
      rules: {
        execute: fieldsOf(executeSchema(options)),
        languages: new Set(runtime.names),
      },
      runtime,
      admission: this.#admission,
      room: new RequestRoom({ bytesMax: options.requestTotalBytes, waitingMax: 0 }),
      unsent: new Unsent(options.answerTotalBytes),
      metrics: this.#metrics,
      isClosing: false,
    };
  }

  #createServer(): Server {
    const server = createHttpServer({
      handler: (request, response) => {
        endSlowBody(request);
        this.handler(request, response);
      },
      // Not that of HTTP/2, which Java's clients make with each request.
      ownsUpgrade: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
      upgrade: this.handleUpgrade,
    });
    this.#servers.push(server);
    return server;
  }

  #problem(): string | null {
    if (this.#host.isClosing) return 'the server is shutting down';
    const isFull = this.#admission.isFull;
    return unreadyReason(this.engine) ?? (isFull ? 'all places are taken and the queue is full' : null);
  }

  async #close(): Promise<void> {
    this.#host.isClosing = true;
    for (const server of this.#servers) server.close();
    const { drainMs, engine } = this.#options;
    if (drainMs > 0) await Promise.race([this.#upgrades.idle(), after(drainMs)]);
    this.#upgrades.close();
    await this.#upgrades.idle();
    await this.#runtime.close();
    if (engine === undefined) await this.engine.close();
    for (const server of this.#servers) server.closeAllConnections();
  }
}
