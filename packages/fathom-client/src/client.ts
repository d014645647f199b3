/** The client: executions by id over one connection. */
import { unlessAborted } from '@sbx/shared';
import {
  checkClientOptions,
  checkExecuteOptions,
  type ExecuteOptions,
  type FathomClientOptions,
  socketUrl,
} from './client-options.js';
import { Connection, type ConnectionState } from './connection.js';
import { connectionError, type FathomError, lostError } from './errors.js';
import { Execution, type ExecutionOwner } from './execution.js';
import { type Load, loadOf } from './figures.js';
import {
  checkMessageSize,
  type ExecutionRequest,
  executeFields,
  newExecutionId,
  outputLengthMaxOf,
} from './request.js';
import { openGlobalSocket } from './transport.js';
import {
  encodeMessage,
  type PongMessage,
  type ServerMessage,
  Stamper,
  type Unstamped,
} from './wire/index.js';

/** Answer to a ping. */
export interface Pong {
  /** From ping to pong. */
  roundTripMs: number;
  /** Of the whole server; `null` when it does not tell. */
  load: Load | null;
}

/**
 * A client of one server. Connects at the first use, and again when the connection goes away; what was under
 * way then fails with a retryable error, since the server ends it.
 *
 * @example
 * ```ts
 * await using client = new FathomClient({ url: 'ws://127.0.0.1:8765' });
 * const { stdout } = await client.execute({ language: 'python', code: 'print(6 * 7)' });
 * ```
 */
export class FathomClient implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #stamper = new Stamper();
  readonly #executions = new Map<string, Execution>();
  /** Unanswered ones by id, in the order in which they were sent. */
  readonly #pings = new Map<string, (message: PongMessage) => void>();
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  readonly #pingIntervalMs: number;
  readonly #pingTimeoutMs: number;
  /** Messages so far: a peer that says anything lives. */
  #heardCount = 0;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #unanswered = 0;
  #pingCount = 0;
  readonly #owner: ExecutionOwner;

  constructor(options: FathomClientOptions) {
    checkClientOptions(options);
    this.#owner = {
      cancel: (id) => void this.#send({ type: 'cancel', id }),
      forget: (id) => this.#forget(id),
      outputLengthMax: outputLengthMaxOf(options.outputLengthMax),
    };
    this.#pingIntervalMs = options.pingIntervalMs ?? 30_000;
    this.#pingTimeoutMs = options.pingTimeoutMs ?? 10_000;
    this.#connection = new Connection({
      url: socketUrl(options.url),
      token: options.token,
      openSocket: options.openSocket ?? openGlobalSocket,
      reconnect: options.reconnect ?? {},
      connectTimeoutMs: options.connectTimeoutMs ?? 5000,
      onMessage: (message) => this.#onMessage(message),
      onBroken: (id, error) => this.#executions.get(id)?.breakOff(error),
      onLost: (error) => this.#onLost(error),
      onState: (state) => {
        for (const listener of [...this.#stateListeners]) listener(state);
      },
    });
  }

  /** Of the connection. */
  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** Calls `listener` at every change of `state`; returns a function that ends that. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => void this.#stateListeners.delete(listener);
  }

  /** Connects now rather than at the first execution. Rejects when it does not come to be. */
  connect(): Promise<void> {
    return this.#connection.ready();
  }

  /**
   * Starts an execution. The handle is awaited for the result or read event by event. Throws at once when the
   * request is wrong; everything else comes through the handle.
   */
  execute(request: ExecutionRequest, options: ExecuteOptions = {}): Execution {
    checkExecuteOptions(options);
    const id = newExecutionId();
    const fields = executeFields(id, request);
    const text = encodeMessage(fields, this.#stamper.now());
    checkMessageSize(text);
    const execution = Execution.make(id, this.#owner);
    void this.#start(execution, text, options.signal);
    return execution;
  }

  /** Asks whether the server lives, and how busy it is. */
  async ping(options: ExecuteOptions = {}): Promise<Pong> {
    checkExecuteOptions(options);
    const { signal } = options;
    await unlessAborted(this.#connection.ready(), signal);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const id = this.#sendPing(({ load }) => {
        settle();
        resolve({
          roundTripMs: performance.now() - startedAt,
          load: load === undefined ? null : loadOf(load),
        });
      });
      const heardBefore = this.#heardCount;
      const timer = setTimeout(() => {
        settle();
        const error = connectionError(`No answer to a ping in ${this.#pingTimeoutMs} ms.`);
        reject(error);
        if (this.#heardCount === heardBefore) this.#connection.drop(error);
      }, this.#pingTimeoutMs);
      const settle = () => {
        clearTimeout(timer);
        unsubscribe();
        this.#pings.delete(id);
        signal?.removeEventListener('abort', stop);
      };
      const stop = () => {
        settle();
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const unsubscribe = this.onState(() => {
        settle();
        reject(lostError('The connection went away before the pong.', this.#connection.lastError));
      });
    });
  }

  /** Ends the connection; what is under way fails. Safe to call twice. */
  async close(): Promise<void> {
    this.#connection.close();
    this.#loseAll(null);
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(execution: Execution, text: string, signal: AbortSignal | undefined): Promise<void> {
    const abort = () => execution.abort(signal!.reason);
    if (signal?.aborted) return execution.fail(signal.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const stopListening = () => signal?.removeEventListener('abort', abort);
    execution.finally(stopListening).catch(() => undefined);
    try {
      await this.#connection.ready();
    } catch (error) {
      return execution.fail(error);
    }
    if (execution.isOver) return; // cancelled or aborted meanwhile: it is never sent
    this.#executions.set(execution.id, execution);
    this.#watchPeer();
    execution.markSent();
    if (!this.#connection.send(text)) execution.lose(this.#connection.lastError);
  }

  #send(message: Unstamped): boolean {
    return this.#connection.send(encodeMessage(message, this.#stamper.now()));
  }

  #onMessage(message: ServerMessage): void {
    this.#unanswered = 0; // whatever it says, it lives
    this.#heardCount += 1;
    if (message.type === 'pong') return this.#onPong(message);
    if (message.id !== undefined) this.#executions.get(message.id)?.take(message);
  }

  /** A server need not give the id back; pongs come in the order of the pings then. */
  #onPong(message: PongMessage): void {
    const [oldest = ''] = this.#pings.keys();
    const id = message.id ?? oldest;
    const answered = this.#pings.get(id);
    this.#pings.delete(id);
    answered?.(message);
  }

  #sendPing(onPong: (message: PongMessage) => void = () => undefined): string {
    this.#pingCount += 1;
    const id = `ping_${this.#pingCount}`;
    this.#pings.set(id, onPong);
    this.#send({ type: 'ping', id });
    return id;
  }

  #onLost(error: FathomError): void {
    this.#pings.clear();
    this.#loseAll(error);
  }

  #loseAll(cause: FathomError | null): void {
    for (const execution of [...this.#executions.values()]) execution.lose(cause);
  }

  #forget(id: string): void {
    this.#executions.delete(id);
    if (this.#executions.size > 0) return;
    clearInterval(this.#pingTimer);
    this.#pingTimer = undefined;
  }

  /** A peer that is gone without a word is found by its silence. */
  #watchPeer(): void {
    if (this.#pingIntervalMs === 0 || this.#pingTimer !== undefined) return;
    this.#unanswered = 0;
    this.#pingTimer = setInterval(() => {
      if (this.#unanswered >= 2) {
        return this.#connection.drop(connectionError('The server answers no pings any more.'));
      }
      this.#unanswered += 1;
      this.#sendPing();
    }, this.#pingIntervalMs);
  }
}
