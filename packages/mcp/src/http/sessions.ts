/**
 * Sessions of protocols before 2026-07-28: one server and its own sandboxes for each `Mcp-Session-Id`, until
 * the client deletes it or nothing comes from it for `idleMs`. A client that holds a stream open is there:
 * most cannot go on after the end of their session. When there are as many as there may be, one that has
 * nothing to lose gives up its place to the next: a client that only opens sessions would keep all of them.
 */
import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Unsent } from '@sbx/serving';
import type { Logger } from '../options.js';
import { endCancelled } from './cancelled.js';

/** What belongs to one session. */
export interface SessionParts {
  server: McpServer;
  /** What counts its answers. */
  unsent: readonly Unsent[];
  /** Whether a tool was ever called. */
  hasBeenUsed(): boolean;
  /** Sandboxes that are open or being made. */
  sandboxCount(): number;
  close(): Promise<void>;
}

export interface SessionsOptions {
  sessionCountMax: number;
  idleMs: number;
  /** Idle for so long without a sandbox, it may be ended for another. */
  yieldMs: number;
  messageBytesMax: number;
  logger: Logger;
  open(): SessionParts;
}

interface Entry {
  transport: WebStandardStreamableHTTPServerTransport;
  parts: SessionParts;
  /** Requests that are being answered, an open stream of messages among them. */
  busyCount: number;
  /** Since it was opened. */
  requestCount: number;
  usedAt: number;
  timer: NodeJS.Timeout | null;
}

const NEW_ENTRY = { busyCount: 0, requestCount: 0, usedAt: 0, timer: null };
const SESSION_HEADER = 'mcp-session-id';

export class HttpSessions {
  readonly #options: SessionsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** What counts answers of the session of a request. */
  unsentOf(request: Request): readonly Unsent[] | undefined {
    return this.#entries.get(request.headers.get(SESSION_HEADER) ?? '')?.parts.unsent;
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return this.#start(request);
    const entry = this.#entries.get(id);
    // As the protocol says: a client then opens a new one.
    if (entry === undefined) return refusal(404, -32_001, 'Session not found');
    return this.#handleIn(entry, id, request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.#end(id, 'asked')));
  }

  async #start(request: Request): Promise<Response> {
    const { messageBytesMax, logger, open } = this.#options;
    if (this.#isFull && this.#leastMissed() === null) return this.#refusal();
    const parts = open();
    let id: string | null = null;
    let hasRoom = true;
    try {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        maxRequestBodySize: messageBytesMax,
        onsessioninitialized: (given) => {
          // By now it is known to be a request that opens a session: what opens none must not end another.
          hasRoom = !this.#isFull || this.#makeRoom();
          if (!hasRoom) throw new Error('no room');
          id = given;
          this.#entries.set(given, { ...NEW_ENTRY, transport, parts });
          this.#touch(given);
          logger.debug({ sessions: this.#entries.size }, 'session opened');
        },
        onsessionclosed: (given) => this.#end(given, 'asked'),
      });
      await parts.server.connect(transport);
      endCancelled(transport);
      const response = await transport.handleRequest(request);
      return hasRoom ? response : this.#refusal();
    } finally {
      if (id === null) await parts.close(); // it was no request that opens one
    }
  }

  async #handleIn(entry: Entry, id: string, request: Request): Promise<Response> {
    entry.busyCount += 1;
    entry.requestCount += 1;
    this.#touch(id);
    const done = () => {
      entry.busyCount -= 1;
      this.#touch(id);
    };
    try {
      return withEnd(await entry.transport.handleRequest(request), done);
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Starts the time without use anew, or stops it while something is answered. */
  #touch(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.usedAt = performance.now();
    const end = () => void this.#end(id, 'idle');
    entry.timer = entry.busyCount > 0 ? null : setTimeout(end, this.#options.idleMs).unref();
  }

  get #isFull(): boolean {
    return this.#entries.size >= this.#options.sessionCountMax;
  }

  /** Ends the session that would miss its place least; false where there is none. */
  #makeRoom(): boolean {
    const id = this.#leastMissed();
    if (id === null) return false;
    void this.#end(id, 'replaced');
    return true;
  }

  /** `null`: each is in use, or has a sandbox. */
  #leastMissed(): string | null {
    const usedBefore = performance.now() - this.#options.yieldMs;
    const idle = [...this.#entries].filter(
      ([, { busyCount, usedAt, parts }]) =>
        busyCount === 0 && usedAt <= usedBefore && parts.sandboxCount() === 0,
    );
    if (idle.length === 0) return null;
    return idle.reduce((one, other) => (isMissedLess(other[1], one[1]) ? other : one))[0];
  }

  #refusal(): Response {
    const { sessionCountMax, yieldMs } = this.#options;
    const seconds = Math.ceil(yieldMs / 1000);
    const message = `This server has ${sessionCountMax} sessions, its maximum, and all are in use; try again in ${seconds} s`;
    return refusal(503, -32_000, message, { 'Retry-After': String(seconds) });
  }

  async #end(id: string, reason: 'asked' | 'idle' | 'replaced'): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    if (entry.timer !== null) clearTimeout(entry.timer);
    this.#options.logger.debug({ reason, sessions: this.#entries.size }, 'session closed');
    await entry.parts.close();
  }
}

/** Whoever came to do something keeps its place longer than who did not; else who came last does. */
function isMissedLess(one: Entry, other: Entry): boolean {
  const difference = weightOf(one) - weightOf(other);
  return difference < 0 || (difference === 0 && one.usedAt < other.usedAt);
}

function weightOf({ requestCount, parts }: Entry): number {
  if (parts.hasBeenUsed()) return 2;
  return requestCount > 0 ? 1 : 0;
}

/** The same response; `done` is called once, when its body has been sent or given up. */
function withEnd(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  let isDone = false;
  const end = () => {
    if (!isDone) done();
    isDone = true;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const step = await reader.read();
        if (!step.done) return controller.enqueue(step.value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
