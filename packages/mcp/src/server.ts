/** The server: an engine, the sandboxes of its sessions, and the transports they come by. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { createMcpHandler, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { createRegistry, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import { endSlowBody, listenAt, makeEntryCheck, Receiving, serverInTurn } from '@sbx/serving';
import { answer, type EndpointParts } from './http/endpoint.js';
import { HttpSessions, type SessionParts } from './http/sessions.js';
import { makeMcpServer } from './mcp-server.js';
import { type McpServerOptions, parseOptions, type ResolvedOptions } from './options.js';
import { SandboxPool } from './sandboxes/pool.js';
import { SandboxSession } from './sandboxes/session.js';
import { paceReading } from './stdio/pace-reading.js';
import { CallMemory, type CallShare } from './tools/call-memory.js';

/** An open server; see `createMcpServer`. */
export interface McpSandboxServer extends AsyncDisposable {
  /**
   * Answers HTTP requests: the endpoint, `/healthz`, `/readyz`. For `http.createServer`, express and the
   * like.
   */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Listens on `host` and `port`. Resolves with the addresses of the endpoint, ports decided. */
  listen(): Promise<{ urls: string[] }>;
  /** Serves one session over a pair of streams. Default: those of this process. */
  serveStdio(streams?: { input?: Readable; output?: Writable }): StdioConnection;
  /** Sandboxes are made on it. */
  readonly engine: Engine;
  /** HTTP sessions and sandboxes that are open. */
  load(): { sessions: number; sandboxes: number };
  /** Ends all sessions and kills what runs. Safe to call twice. */
  close(): Promise<void>;
}

/** One session over a pair of streams. */
export interface StdioConnection {
  /**
   * Resolves when the client has closed its side, or `close()` was called, and the sandboxes of the session
   * are gone.
   */
  readonly closed: Promise<void>;
  /** Ends the session and its sandboxes. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the engine; serves nobody yet. Throws as `Engine.open` does, and `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * await using server = await createMcpServer({ token: process.env.TOKEN });
 * await server.listen();
 * ```
 */
export async function createMcpServer(options: McpServerOptions = {}): Promise<McpSandboxServer> {
  const resolved = parseOptions(options);
  return new OpenServer(resolved, resolved.engine ?? (await openEngine(resolved)));
}

/** Of what calls may hold, so that one session does not keep the others waiting. */
const SESSION_PART = 1 / 4;
/** Beside those of sessions: compilers, and sandboxes that are being given up. */
const SANDBOXES_SPARE = 32;

function openEngine(options: ResolvedOptions): Promise<Engine> {
  const { sandboxCountMax, ceilings, processWallTimeMs, require } = options;
  const wallTimeMs = ceilings.wallTimeMs && Math.max(ceilings.wallTimeMs, processWallTimeMs);
  return Engine.open({
    maxSandboxes: sandboxCountMax + SANDBOXES_SPARE,
    readyCount: 1,
    mounts: [...DEFAULT_MOUNTS, ...TOLD_MEMORY_MOUNTS],
    ceilings: { ...ceilings, wallTimeMs },
    ...(require === undefined ? {} : { require }),
  });
}

function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

class OpenServer implements McpSandboxServer {
  readonly engine: Engine;
  readonly #options: ResolvedOptions;
  readonly #version = ownVersion();
  readonly #registry = createRegistry();
  readonly #pool: SandboxPool;
  readonly #sessions: HttpSessions;
  readonly #modern: McpHttpHandler;
  /** Of callers without sessions. */
  readonly #shared: SandboxSession;
  readonly #endpoint: EndpointParts;
  readonly #memory: CallMemory;
  readonly #connections = new Set<StdioConnection>();
  readonly #servers: Server[] = [];
  #closed: Promise<void> | null = null;

  constructor(options: ResolvedOptions, engine: Engine) {
    const { idleMs, messageBytesMax, logger, path } = options;
    this.engine = engine;
    this.#options = options;
    this.#pool = new SandboxPool(engine, options);
    this.#shared = new SandboxSession(this.#pool, { hasDefault: false, sandboxCountMax: null, idleMs });
    this.#memory = new CallMemory(options.answerTotalBytes / 2);
    this.#sessions = new HttpSessions({
      ...options,
      idleMs: options.sessionIdleMs,
      yieldMs: options.sessionYieldMs,
      open: () => this.#openSession(),
    });
    const shared = this.#memory.share(1 / 2);
    this.#modern = createMcpHandler(() => this.#makeServer(this.#shared, shared), {
      legacy: 'reject',
      maxRequestBodySize: messageBytesMax,
      onerror: (error) => logger.debug({ reason: error.name }, 'a request was refused'),
    });
    this.#endpoint = {
      path,
      messageBytesMax,
      receiving: new Receiving(options.receiveTotalBytes),
      bodies: this.#memory.bodies,
      unsent: this.#memory.unsent,
      modernUnsent: shared.unsent,
      check: makeEntryCheck(options),
      sessions: this.#sessions,
      modern: this.#modern,
      logger,
      problem: () => (this.#closed === null ? null : 'the server is shutting down'),
    };
  }

  load(): { sessions: number; sandboxes: number } {
    return { sessions: this.#sessions.count, sandboxes: this.#pool.openCount };
  }

  handler = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(this.#endpoint, request, response);
  };

  #handleBounded = (request: IncomingMessage, response: ServerResponse): void => {
    endSlowBody(request);
    this.handler(request, response);
  };

  async listen(): Promise<{ urls: string[] }> {
    const { host, port, path } = this.#options;
    const urls = await listenAt(host, port, () => {
      const server = serverInTurn(this.#handleBounded);
      this.#servers.push(server);
      return server;
    });
    return { urls: urls.map((url) => url + path) };
  }

  serveStdio({ input = process.stdin, output = process.stdout } = {}): StdioConnection {
    const session = this.#newSession();
    const { messageBytesMax: maxBufferSize } = this.#options;
    const transport = new StdioServerTransport(input, output, { maxBufferSize });
    const memory = this.#memory.share(1);
    const handle = serveStdio(() => this.#makeServer(session, memory), {
      transport,
      onerror: (error) => this.#options.logger.debug({ reason: error.name }, 'a message was refused'),
    });
    paceReading(transport, input, output);
    const connection = connectionOf(transport, handle, () => session.close());
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    return connection;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newSession(): SandboxSession {
    const { sandboxCountPerSession: sandboxCountMax, idleMs } = this.#options;
    return new SandboxSession(this.#pool, { hasDefault: true, sandboxCountMax, idleMs });
  }

  #openSession(): SessionParts {
    const session = this.#newSession();
    const memory = this.#memory.share(SESSION_PART);
    const server = this.#makeServer(session, memory);
    return {
      server,
      unsent: memory.unsent,
      hasBeenUsed: () => session.hasBeenUsed,
      sandboxCount: () => session.sandboxCount,
      async close() {
        await server.close();
        await session.close();
      },
    };
  }

  #makeServer(session: SandboxSession, memory: CallShare): McpServer {
    const context = {
      options: this.#options,
      engine: this.engine,
      registry: this.#registry,
      session,
      memory,
    };
    return makeMcpServer(context, this.#version);
  }

  async #close(): Promise<void> {
    for (const server of this.#servers) server.close();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    await this.#sessions.close();
    await this.#modern.close();
    await this.#shared.close();
    await this.#pool.close();
    if (this.#options.engine === undefined) await this.engine.close();
    for (const server of this.#servers) server.closeAllConnections();
  }
}

/** The end of the client's side is seen by the transport alone. */
function connectionOf(
  transport: StdioServerTransport,
  handle: { close(): Promise<void> },
  release: () => Promise<void>,
): StdioConnection {
  const { promise: closed, resolve } = deferred();
  const onclose = transport.onclose;
  transport.onclose = () => {
    onclose?.();
    void release().finally(resolve);
  };
  return {
    closed,
    async close() {
      await handle.close();
      await release();
      resolve();
      await closed;
    },
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
