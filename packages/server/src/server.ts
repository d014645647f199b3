/** The server: one engine, the protocols' own servers, and one port in front of them. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CONSOLE_FOLDER } from '@sbx/console';
import { CONSOLE_PATH, FILES_PATH, TOKEN_SUBPROTOCOL_PREFIX } from '@sbx/console/wire';
import type { Runner } from '@sbx/core';
import {
  bearerToken,
  createHttpServer,
  endSlowBody,
  FOREIGN_PAGE,
  listenAt,
  makeEntryCheck,
  protocolToken,
  refuseUpgrade,
  sendText,
  unreadyReason,
} from '@sbx/serving';
import { openEngine } from './engine.js';
import { RunFiles } from './http/files.js';
import { type PageParts, pageOf } from './http/pages.js';
import { Site } from './http/site.js';
import { type HubParts, LiveHub } from './live/hub.js';
import { Recorder } from './live/recorder.js';
import { RunningRuns } from './live/running.js';
import {
  PROTOCOLS,
  type Protocol,
  parseOptions,
  type ResolvedOptions,
  type ServerOptions,
} from './options.js';
import { openParts } from './parts/open.js';
import type { Part } from './parts/part.js';

/** An open server; see `createServer`. */
export interface SbxServer extends AsyncDisposable {
  /**
   * Answers HTTP requests. With `next`, which is called for paths that are not its own, it stands before the
   * handler of a framework: Express's `app.use(server.handler)`. Without it they get 404.
   */
  handler(request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /**
   * Takes WebSocket upgrades: for the event `upgrade` of an `http.Server`. `next` as of `handler`; without it
   * others are refused.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, next?: () => void): void;
  /** Listens on `host` and `port`. Resolves with the addresses, ports decided. */
  listen(): Promise<{ urls: string[] }>;
  /** All protocols run on it. */
  readonly engine: Runner;
  /** What is spoken. */
  readonly protocols: readonly Protocol[];
  /**
   * Refuses new requests, lets running ones end as each protocol's server does, and closes an engine of its
   * own. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * Opens one engine and the servers of the protocols on it; listens nowhere yet. Throws as `Engine.open` does,
 * and `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * await using server = await createServer({ token: process.env.TOKEN });
 * // go-judge at /run, Fathom at /fathom, MCP at /mcp, the console at /.
 * const { urls } = await server.listen();
 * ```
 */
export async function createServer(options: ServerOptions = {}): Promise<SbxServer> {
  const resolved = parseOptions(options);
  const site = resolved.console === null ? null : new Site(CONSOLE_FOLDER);
  const engine = resolved.engine ?? (await openEngine(resolved));
  try {
    const recorders = new Map(PROTOCOLS.map((protocol) => [protocol, new Recorder()]));
    const running = new RunningRuns();
    const parts = await openParts(engine, resolved, (name) => running.observer(recorders.get(name)!));
    return new OpenServer(resolved, { engine, parts, recorders, running }, site);
  } catch (error) {
    if (resolved.engine === undefined) await engine.close();
    throw error;
  }
}

class OpenServer implements SbxServer {
  readonly engine: Runner;
  readonly protocols: readonly Protocol[];
  readonly #options: ResolvedOptions;
  readonly #parts: readonly Part[];
  readonly #pages: PageParts;
  /** `null`: there is no console. */
  readonly #site: Site | null;
  readonly #files: RunFiles | null;
  readonly #hub: LiveHub | null;
  readonly #servers: Server[] = [];
  #closed: Promise<void> | null = null;

  constructor(
    options: ResolvedOptions,
    live: Omit<HubParts, 'check' | keyof NonNullable<ResolvedOptions['console']>>,
    site: Site | null,
  ) {
    const { engine, parts } = live;
    this.engine = engine;
    this.protocols = parts.map(({ protocol }) => protocol);
    this.#options = options;
    this.#parts = parts;
    const check = makeEntryCheck({ ...options, presentedToken });
    this.#pages = { parts, check, problem: () => this.#problem() };
    this.#site = site;
    this.#files = options.console === null ? null : new RunFiles(live.running, check);
    this.#hub = options.console === null ? null : new LiveHub({ ...live, ...options.console, check });
  }

  handler = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    const path = pathOf(request);
    const page = pageOf(path);
    if (page !== undefined) {
      request.resume();
      return void page(this.#pages, request, response);
    }
    if (this.#files !== null && path.startsWith(FILES_PATH)) {
      endSlowBody(request);
      return void this.#files.answer(path.slice(FILES_PATH.length), request, response);
    }
    const part = this.#parts.find(({ owns }) => owns(path));
    const isSite = this.#site?.owns(path) === true;
    if (part === undefined && !isSite) return this.#pass(request, response, next);
    if (this.#pages.check(request) === 'foreign-page') return refusePage(request, response);
    if (part === undefined) this.#site!.send(path, request, response);
    else part.handler(request, response);
  };

  handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, next?: () => void): void => {
    const path = pathOf(request);
    if (this.#hub !== null && path === CONSOLE_PATH) return this.#hub.upgrade(request, socket, head);
    const part = this.#parts.find(({ ownsUpgrade }) => ownsUpgrade(path));
    if (part !== undefined) {
      if (this.#pages.check(request) !== 'foreign-page') return part.handleUpgrade(request, socket, head);
      return refuseUpgrade(socket, '403 Forbidden', TEXT, FOREIGN_PAGE);
    }
    if (next !== undefined) return next();
    refuseUpgrade(socket, '404 Not Found', TEXT, 'not found\n');
  };

  async listen(): Promise<{ urls: string[] }> {
    const { host, port } = this.#options;
    return { urls: await listenAt(host, port, () => this.#createServer()) };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ownsUpgrade(request: IncomingMessage): boolean {
    const path = pathOf(request);
    if (this.#hub !== null && path === CONSOLE_PATH) return true;
    return this.#parts.some(({ ownsUpgrade }) => ownsUpgrade(path));
  }

  #pass(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    if (next !== undefined) return next();
    request.resume();
    sendText(response, 404, 'not found\n');
  }

  #createServer(): Server {
    const server = createHttpServer({
      handler: (request, response) => this.handler(request, response),
      ownsUpgrade: (request) => this.#ownsUpgrade(request),
      upgrade: (request, socket, head) => {
        socket.on('error', () => socket.destroy());
        this.handleUpgrade(request, socket, head);
      },
    });
    this.#servers.push(server);
    return server;
  }

  #problem(): string | null {
    if (this.#closed !== null) return 'the server is shutting down';
    return unreadyReason(this.engine);
  }

  async #close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#hub?.close();
    await Promise.all(this.#parts.map((part) => part.close()));
    if (this.#options.engine === undefined) await this.engine.close();
    for (const server of this.#servers) server.closeAllConnections();
  }
}

/**
 * From the header, or from the subprotocol of the live figures: web pages cannot set headers of an upgrade.
 */
function presentedToken(request: IncomingMessage): string {
  return bearerToken(request) || protocolToken(request, TOKEN_SUBPROTOCOL_PREFIX);
}

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

function refusePage(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  sendText(response, 403, FOREIGN_PAGE);
}

/** Without its query; a form for proxies, with scheme and host, is taken as well. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '') || '/';
}
