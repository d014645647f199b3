/** One execution as the caller sees it: awaited for what it came to, or read event by event. */
import { Accumulator } from './accumulator.js';
import { FathomError, lostError } from './errors.js';
import { type ExecutionUsage, usageOf } from './figures.js';
import { inOwnNames, OUTPUT_LENGTH_MAX } from './request.js';
import type { ServerMessage, TerminalStatus } from './wire/index.js';

/** What an execution came to. */
export interface ExecutionResult {
  /** Of the execution, on the wire. */
  id: string;
  /** How it ended. */
  status: TerminalStatus;
  /** `status === 'completed'`: it ended by itself with exit code 0. */
  ok: boolean;
  /** `null` when a signal ended the program. */
  exitCode: number | null;
  /** All of it, as text, unless `truncated`. */
  stdout: string;
  /** All of it, as text, unless `truncated`. */
  stderr: string;
  /** There was more output than `outputLengthMax` of the client; the rest was in the events alone. */
  truncated: boolean;
  /** Wall time of the execution, without waiting for a place. */
  durationMs: number;
  /** A figure that could not be measured is absent. */
  usage: ExecutionUsage;
  /** It printed more than `limits.outputBytes` and was ended for that; `status` is `'failed'`. */
  outputLimitExceeded: boolean;
}

/** What happens on the way, in order. The last is `result`, unless iterating throws. */
export type ExecutionEvent =
  | { kind: 'accepted' }
  | { kind: 'started' }
  | { kind: 'stdout' | 'stderr'; text: string }
  | { kind: 'result'; result: ExecutionResult };

/** What an execution needs of its client. */
export interface ExecutionOwner {
  /** Sends `cancel`; the answer comes as status and result. */
  cancel(id: string): void;
  /** Nothing more is expected. */
  forget(id: string): void;
  /** Of what is kept of its output, in the result and of events that nobody reads. */
  outputLengthMax: number;
}

/**
 * Errors that are not the end. The protocol sends status and result after OUTPUT_LIMIT; UNKNOWN_EXECUTION
 * answers a cancel that met the end of the execution on its way. Other servers may send nothing more: then
 * the error is the end after all.
 */
const AFTER_ERROR_MS = 2000;
/** Not read yet. Each is some hundred bytes beside its text. */
const EVENTS_MAX = 2 ** 20;

/**
 * From `client.execute()`. `await` it for the result, or iterate over its events (once; the result can be
 * awaited beside). What the program did is in the result; a rejection is a `FathomError`, or the reason of
 * the signal.
 */
export class Execution implements Promise<ExecutionResult>, AsyncIterable<ExecutionEvent> {
  readonly id: string;
  /** As of a promise. */
  readonly [Symbol.toStringTag] = 'Execution';
  readonly #owner: ExecutionOwner;
  readonly #accumulator: Accumulator;
  readonly #result: Promise<ExecutionResult>;
  /** Not read yet. Not a list: to take the first of many would move all others. */
  readonly #events = new Set<ExecutionEvent>();
  /** Of those that come once: a server that says them again and again would fill the memory. */
  readonly #saidOnce = new Set<'accepted' | 'started'>();
  #settle!: { resolve(result: ExecutionResult): void; reject(error: unknown): void };
  #wake: () => void = () => undefined;
  #isRead = false;
  /** Of output in events that nobody has read. */
  #unreadLength = 0;
  /** They were more than is kept, and are gone. */
  #isMissed = false;
  #isOver = false;
  #failure: { error: unknown } | null = null;
  /** What was sent to the server. A cancel before `execute` would be refused, and the program would run. */
  #sent: 'nothing' | 'execute' | 'cancel' = 'nothing';
  #isOutputLimited = false;
  #lastErrorTimer: ReturnType<typeof setTimeout> | undefined;

  /** @internal */
  static make(id: string, owner: ExecutionOwner): Execution {
    return new Execution(id, owner);
  }

  private constructor(id: string, owner: ExecutionOwner) {
    this.id = id;
    this.#owner = owner;
    this.#accumulator = new Accumulator(id, owner.outputLengthMax);
    this.#result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#result.catch(() => undefined); // who only iterates is told there
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the handle itself is the point of it
  then<A = ExecutionResult, B = never>(
    onFulfilled?: ((result: ExecutionResult) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onFulfilled, onRejected);
  }

  /** As of a promise. */
  catch<B = never>(
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<ExecutionResult | B> {
    return this.#result.catch(onRejected);
  }

  /** As of a promise. */
  finally(onFinally?: (() => void) | null): Promise<ExecutionResult> {
    return this.#result.finally(onFinally);
  }

  /**
   * Asks the server to end it; the result follows, with status `cancelled` unless it ended before. One that
   * was not sent yet never is, and is `cancelled` at once. Safe to call at any time.
   */
  cancel(): void {
    if (this.#isOver) return;
    if (this.#sent === 'nothing') {
      this.#accumulator.status = 'cancelled';
      return this.#finish();
    }
    if (this.#sent === 'cancel') return;
    this.#sent = 'cancel';
    this.#owner.cancel(this.id);
  }

  /** The events, from the first on; leaving the loop early cancels the execution. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ExecutionEvent, void, undefined> {
    if (this.#isRead) {
      throw new FathomError({ code: 'FATHOM_REQUEST', message: `Events of ${this.id} can be read once.` });
    }
    this.#isRead = true;
    if (this.#isMissed) throw this.#missedError();
    try {
      for (;;) {
        for (const event of this.#events) {
          this.#events.delete(event);
          if ('text' in event) this.#unreadLength -= event.text.length;
          yield event;
        }
        if (this.#isMissed) throw this.#missedError();
        if (this.#failure !== null) throw this.#failure.error;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.cancel();
    }
  }

  /** @internal Nothing more is expected. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * @internal `execute` was handed to the socket: from here on the server knows of it, or the connection is
   * lost.
   */
  markSent(): void {
    this.#sent = 'execute';
  }

  /** @internal As `cancel`, but the caller waits for nothing. */
  abort(reason: unknown): void {
    if (this.#sent !== 'nothing') this.cancel();
    this.fail(reason);
  }

  /** @internal A message with its id. */
  take(message: ServerMessage): void {
    if (this.#isOver) return;
    this.#accumulator.apply(message);
    if (message.type === 'ack') this.#pushOnce('accepted');
    else if (message.type === 'stdout' || message.type === 'stderr')
      this.#pushOutput(message.type, message.data);
    else if (message.type === 'status') {
      if (message.status === 'running') this.#pushOnce('started');
    } else if (message.type === 'result') this.#finish();
    else if (message.type === 'error') this.#takeError(message);
  }

  /** @internal It ends here, whatever the server does. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#failure = { error };
    this.#end();
    this.#settle.reject(error);
  }

  /**
   * @internal The server said of it what no server says: nothing more can be believed, and the program is not
   * needed.
   */
  breakOff(error: FathomError): void {
    this.abort(error);
  }

  /**
   * @internal The connection went away, and with it the execution. A server that refuses us, or speaks
   * nonsense, would do so again.
   */
  lose(cause: FathomError | null): void {
    this.fail(lostError(`The connection went away before ${this.id} ended.`, cause));
  }

  #takeError({ code, message, retryable }: ServerMessage & { type: 'error' }): void {
    const error = new FathomError({
      code: 'FATHOM_REJECTED',
      message: inOwnNames(message),
      retryable,
      wireCode: code,
      executionId: this.id,
    });
    const isOutputLimit = code === 'OUTPUT_LIMIT';
    if (isOutputLimit) this.#isOutputLimited = true;
    else if (code !== 'UNKNOWN_EXECUTION' || this.#sent !== 'cancel') return this.fail(error);
    this.#lastErrorTimer ??= setTimeout(() => this.fail(error), AFTER_ERROR_MS);
  }

  #finish(): void {
    const { status, stdout, stderr, truncated, exitCode, durationMs, usage } = this.#accumulator;
    if (!this.#accumulator.isTerminal()) {
      const message = `The result of ${this.id} came without a terminal status.`;
      return this.fail(new FathomError({ code: 'FATHOM_PROTOCOL', message, executionId: this.id }));
    }
    const result: ExecutionResult = {
      id: this.id,
      status: status as TerminalStatus,
      ok: status === 'completed',
      exitCode,
      stdout,
      stderr,
      truncated,
      durationMs: durationMs ?? 0,
      usage: usageOf(usage),
      outputLimitExceeded: this.#isOutputLimited,
    };
    this.#push({ kind: 'result', result });
    this.#end();
    this.#settle.resolve(result);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#lastErrorTimer);
    this.#owner.forget(this.id);
    this.#wake();
  }

  #pushOnce(kind: 'accepted' | 'started'): void {
    if (this.#saidOnce.has(kind)) return;
    this.#saidOnce.add(kind);
    this.#push({ kind });
  }

  #pushOutput(kind: 'stdout' | 'stderr', text: string): void {
    if (text === '') return;
    this.#unreadLength += text.length;
    this.#push({ kind, text });
  }

  /**
   * Who only awaits the result needs no events. Who reads them may be as far behind as a program can print.
   */
  get #hasTooMany(): boolean {
    const { outputLengthMax } = this.#owner;
    const lengthMax = this.#isRead ? Math.max(outputLengthMax, OUTPUT_LENGTH_MAX) : outputLengthMax;
    return this.#unreadLength > lengthMax || this.#events.size > EVENTS_MAX;
  }

  #missedError(): FathomError {
    const { outputLengthMax } = this.#owner;
    const message = `Events of ${this.id} must be read before ${outputLengthMax} characters of output are waiting (outputLengthMax), or ${EVENTS_MAX} events: read them from the start, or await the result alone.`;
    return new FathomError({ code: 'FATHOM_REQUEST', message, executionId: this.id });
  }

  #push(event: ExecutionEvent): void {
    this.#events.add(event);
    this.#isMissed ||= this.#hasTooMany;
    if (this.#isMissed) this.#events.clear();
    this.#wake();
  }
}
