/** One client: its messages in, its executions by id, its messages out. */
import { isUtf8 } from 'node:buffer';
import type { RunnerProcess } from '@sbx/core';
import {
  CLOSE_CODES,
  type ExecuteMessage,
  encodeMessage,
  Stamper,
  type Unstamped,
} from '@sbx/fathom-client/wire';
import { hasMoreValues, keepAlive, type RequestRoom, SMALL_REQUEST_BYTES, type Unsent } from '@sbx/serving';
import type { WebSocket } from 'ws';
import type { Admission, Share } from '../admission.js';
import { errorMessage } from '../errors.js';
import { Execution } from '../execution/execution.js';
import type { ServerMetrics } from '../metrics.js';
import type { ResolvedOptions } from '../options.js';
import type { Runtime } from '../runtime.js';
import { Outbox } from './outbox.js';
import { type Request, type Rules, readRequest, refused } from './request.js';

/** What all connections share. */
export interface Host {
  options: ResolvedOptions;
  rules: Rules;
  runtime: Runtime;
  admission: Admission;
  /** For what executions were given, until they are gone. */
  room: RequestRoom;
  /** What clients have not taken. */
  unsent: Unsent;
  metrics: ServerMetrics;
  /** Nothing new is taken: the server is on its way out. */
  isClosing: boolean;
}

const SHUTTING_DOWN = {
  code: 'INTERNAL_ERROR',
  message: 'The server is shutting down.',
  retryable: true,
} as const;
const NO_ROOM = 'The code and input of executions that wait or run take all the room there is.';
/** Of JSON, in one message. An execution with the longest environment has a few hundred. */
const VALUES_MAX = 10_000;
const TOO_MANY_VALUES = refused(undefined, `A message must have at most ${VALUES_MAX} values.`);
/** Pings that a peer may leave unanswered before it counts as gone. */
const UNANSWERED_PINGS = 2;
/** After a close frame, for the peer's own. */
const CLOSE_WAIT_MS = 1000;

export class Connection {
  readonly #socket: WebSocket;
  readonly #host: Host;
  readonly #number: number;
  readonly #stamper = new Stamper();
  readonly #outbox: Outbox;
  readonly #share: Share;
  /** Those whose id is in use. */
  readonly #active = new Map<string, Execution>();
  /** Those of which something is left: their last message may be out already. */
  readonly #living = new Set<Execution>();
  readonly #alive: { alive(): void; stop(): void };

  constructor(socket: WebSocket, host: Host, number: number) {
    this.#socket = socket;
    this.#host = host;
    this.#number = number;
    this.#share = host.admission.share(() => this.#drop('the peer reads too little, and others wait'));
    const { bufferBytes, stallMs, pingMs } = host.options;
    this.#alive = keepAlive(socket, { pingMs, silenceMs: pingMs * (UNANSWERED_PINGS + 1) });
    this.#outbox = new Outbox(socket, {
      unsent: host.unsent,
      bufferBytes,
      stallMs,
      onProgress: this.#alive.alive,
      onStall: () => this.#drop('the peer reads nothing'),
    });
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    socket.on('error', (error) => this.#linger(error.message));
    socket.once('close', (code) => this.#onClose(code));
    host.options.logger?.debug({ connection: number }, 'connected');
  }

  /** Every execution is told that it is over, and the connection is closed. */
  close(): void {
    for (const execution of [...this.#living]) {
      execution.fail(SHUTTING_DOWN);
    }
    this.#socket.close(CLOSE_CODES.goingAway, 'the server is shutting down');
    this.#terminateLater();
  }

  /** Resolves when nothing of its executions is left. */
  async idle(): Promise<void> {
    await Promise.all([...this.#living].map(({ gone }) => gone));
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    this.#alive.alive();
    const request = this.#read(data, isBinary);
    this.#host.metrics.countMessage(request.kind);
    switch (request.kind) {
      case 'ping':
        return this.#pong(request.id);
      case 'cancel':
        return this.#cancel(request.message.id);
      case 'execute':
        return this.#execute(request.message, data.length);
      case 'refused':
        this.#host.metrics.countRefusal(request.code);
        return this.#send(errorMessage(request.code, request.message, { id: request.id }));
    }
  }

  #read(data: Buffer, isBinary: boolean): Request {
    if (data.length > VALUES_MAX && hasMoreValues(data, VALUES_MAX)) return TOO_MANY_VALUES;
    const text = isBinary && !isUtf8(data) ? '' : data.toString('utf8');
    return readRequest(text, this.#host.rules, (id) => this.#active.has(id));
  }

  #pong(id: string | undefined): void {
    const { active, waiting } = this.#host.admission;
    const load = { active_executions: active, queue_depth: waiting };
    this.#send({ type: 'pong', ...(id === undefined ? {} : { id }), load });
  }

  #cancel(id: string): void {
    const execution = this.#active.get(id);
    if (execution !== undefined) return execution.cancel();
    const text = 'id: no execution of this connection is active under it';
    this.#send(errorMessage('UNKNOWN_EXECUTION', text, { id }));
  }

  #execute(message: ExecuteMessage, bytes: number): void {
    const { id } = message;
    const { isClosing, room } = this.#host;
    const counted = bytes > SMALL_REQUEST_BYTES ? room : null;
    const noRoom = counted?.fits(bytes) === false ? NO_ROOM : null;
    const refusal = isClosing ? SHUTTING_DOWN.message : (this.#share.refusal ?? noRoom);
    const execution = refusal === null ? Execution.admit(message, this.#around(message)) : null;
    if (execution === null) {
      this.#host.metrics.countRefusal('SANDBOX_OVERLOADED');
      return this.#send(errorMessage('SANDBOX_OVERLOADED', refusal!, { id }));
    }
    this.#active.set(id, execution);
    this.#living.add(execution);
    const place = counted?.hold(bytes);
    void execution.gone.then(() => {
      this.#living.delete(execution);
      place?.free();
    });
  }

  #around({ id, language, code }: ExecuteMessage) {
    const { runtime, metrics, options } = this.#host;
    const { logger, observer } = options;
    const startedAt = performance.now();
    const facts = { connection: this.#number, id, language, codeBytes: Buffer.byteLength(code) };
    return {
      share: this.#share,
      start: (message: ExecuteMessage) => runtime.start(message),
      outlet: this.#outbox,
      send: (message: Unstamped, isLast: boolean) => {
        if (isLast) this.#active.delete(id);
        this.#send(message);
      },
      onStart: (waitedMs: number, process: RunnerProcess) => {
        metrics.observeStart(language, waitedMs);
        observer?.onStart(id, () => process.usage());
      },
      onEnd: (status: string, durationMs: number) => {
        metrics.observeEnd(language, status, durationMs);
        observer?.onEnd({ id, status, latencyMs: performance.now() - startedAt });
        logger?.debug({ ...facts, status, durationMs }, 'execution ended');
      },
      onFailure: (error: unknown) => logger?.error({ ...facts, error: whatFailed(error) }, 'sandbox failed'),
      onDefect: (error: unknown) => {
        logger?.error({ ...facts, error: whatFailed(error) }, 'defect');
        this.#socket.close(CLOSE_CODES.internal, 'internal error');
      },
    };
  }

  #send(message: Unstamped): void {
    const make = () => encodeMessage(message, this.#stamper.now());
    const isNews = message.type === 'ack' || (message.type === 'status' && message.status === 'running');
    if (isNews) this.#outbox.sendLater(make);
    else this.#outbox.send(make);
  }

  #drop(reason: string): void {
    this.#logDrop(reason);
    this.#socket.terminate();
  }

  /**
   * `ws` has closed it with the right code, and throws away what comes. A peer that still sends would get a
   * reset instead of that code if it was cut off at once.
   */
  #linger(reason: string): void {
    this.#logDrop(reason);
    this.#terminateLater();
  }

  #logDrop(reason: string): void {
    this.#host.options.logger?.debug({ connection: this.#number, reason }, 'dropped');
  }

  #terminateLater(): void {
    setTimeout(() => this.#socket.terminate(), CLOSE_WAIT_MS).unref();
  }

  #onClose(code: number): void {
    this.#alive.stop();
    for (const execution of this.#living) execution.orphan(this.#host.options.orphanGraceMs);
    void this.idle().then(() => this.#share.remove());
    this.#active.clear();
    this.#outbox.stop();
    this.#host.options.logger?.debug({ connection: this.#number, code }, 'disconnected');
  }
}

/** Facts of an error without anything of the request: options that core refuses may quote it. */
function whatFailed(error: unknown): object {
  const { name, code, stage, errno } = error as {
    name?: string;
    code?: string;
    stage?: string;
    errno?: number;
  };
  return { name, code, stage, errno };
}
