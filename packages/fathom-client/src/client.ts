/** The client: executions by id over one connection. */
import { onAbort, unlessAborted } from '@sbx/shared';
import {
  checkExecuteOptions,
  type ExecuteOptions,
  type FathomClientOptions,
  settingsOf,
} from './client-options.js';
import { Connection, type ConnectionState } from './connection.js';
import type { FathomError } from './errors.js';
import { Execution, type ExecutionOwner } from './execution.js';
import { Pings, type Pong } from './pings.js';
import { checkMessageSize, type ExecutionRequest, executeFields, newExecutionId } from './request.js';
import { encodeMessage, type ServerMessage, Stamper, type Unstamped } from './wire/index.js';

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
  readonly #pings: Pings;
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  readonly #owner: ExecutionOwner;

  constructor(options: FathomClientOptions) {
    const settings = settingsOf(options);
    this.#owner = {
      cancel: (id) => this.#send({ type: 'cancel', id }),
      forget: (id) => this.#forget(id),
      outputLengthMax: settings.outputLengthMax,
    };
    this.#connection = new Connection({
      ...settings,
      onMessage: (message) => this.#onMessage(message),
      onBroken: (id, error) => this.#executions.get(id)?.breakOff(error),
      onLost: (error) => this.#onLost(error),
      onState: (state) => {
        for (const listener of [...this.#stateListeners]) callSafely(() => listener(state));
      },
    });
    this.#pings = new Pings({
      ...settings,
      send: (id) => this.#send({ type: 'ping', id }),
      drop: (error) => this.#connection.drop(error),
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
    signal?.throwIfAborted();
    const pong = this.#pings.ask(signal);
    if (this.state !== 'open') this.#pings.lost(this.#connection.lastError); // it went away in this turn
    return pong;
  }

  /** Ends the connection; what is under way fails with `FATHOM_CLOSED`. Safe to call twice. */
  async close(): Promise<void> {
    this.#connection.close();
    this.#onLost(this.#connection.lastError);
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(execution: Execution, text: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return execution.fail(signal.reason);
    const unsubscribe = onAbort(signal, () => execution.abort(signal!.reason));
    execution.finally(unsubscribe).catch(() => undefined);
    try {
      await this.#connection.ready();
    } catch (error) {
      return execution.fail(error);
    }
    if (execution.isOver) return; // cancelled or aborted meanwhile: it is never sent
    this.#executions.set(execution.id, execution);
    this.#pings.watch();
    execution.markSent();
    if (!this.#connection.send(text)) execution.lose(this.#connection.lastError);
  }

  #send(message: Unstamped): void {
    this.#connection.send(encodeMessage(message, this.#stamper.now()));
  }

  #onMessage(message: ServerMessage): void {
    this.#pings.heard(message);
    if (message.type !== 'pong' && message.id !== undefined) this.#executions.get(message.id)?.take(message);
  }

  #onLost(cause: FathomError | null): void {
    this.#pings.lost(cause);
    for (const execution of [...this.#executions.values()]) execution.lose(cause);
  }

  #forget(id: string): void {
    this.#executions.delete(id);
    if (this.#executions.size === 0) this.#pings.rest();
  }
}

/** What the caller's own function throws is an uncaught error of the caller's: the connection goes on. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
