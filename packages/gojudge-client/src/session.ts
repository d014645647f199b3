/** Many requests over `/ws`: one connection, made again when it went away. */
import { onAbort, unlessAborted } from '@sbx/shared';
import { type CallOptions, checkCall } from './call-options.js';
import { checkRequest } from './check.js';
import type { RunCommand, RunGroup } from './command.js';
import { failure, type GojudgeError } from './errors.js';
import { wasNeverTaken } from './http.js';
import { COUNT, checkOptions, FLAG, type OptionRules, SIGNAL } from './option-check.js';
import { disposeAll, outcomesOf, type RunOutcome } from './outcome.js';
import { toWireRequest } from './request.js';
import type { Retrier } from './retry.js';
import { Slots } from './slots.js';
import { SocketRuns } from './socket-runs.js';
import type { FileCalls } from './stored-file.js';
import type { SocketLike } from './transport.js';
import type { WireRequest } from './wire/index.js';

/** Options of `connect`. */
export interface SessionOptions {
  /**
   * Requests on their way at once; more wait here. Default 256: go-judge refuses what its queue of 512 cannot
   * take.
   */
  inFlightMax?: number | undefined;
  /**
   * Makes the connection again for the next request when it went away. Default `true`. What was under way is
   * rejected either way with `GOJUDGE_CONNECTION`: the server has ended it.
   */
  reconnect?: boolean | undefined;
  /** Abort gives up connecting; what was connected before stays. */
  signal?: AbortSignal | undefined;
}

const SESSION_RULES: OptionRules<SessionOptions> = { inFlightMax: COUNT, reconnect: FLAG, signal: SIGNAL };

/** @internal */
export interface SessionParts {
  calls: FileCalls;
  retrier: Retrier;
  openSocket(signal: AbortSignal): Promise<SocketLike>;
}

/**
 * From `client.connect()`. When the connection goes, what is under way is rejected, and ended by the server.
 */
export class GojudgeSession implements AsyncDisposable {
  readonly #parts: SessionParts;
  readonly #slots: Slots;
  readonly #isReconnecting: boolean;
  #connection: Promise<SocketRuns> | null = null;
  /** Aborted when it is closed. */
  readonly #closing = new AbortController();

  private constructor(parts: SessionParts, options: SessionOptions) {
    checkOptions('options', options, SESSION_RULES);
    const { inFlightMax = 256, reconnect = true } = options;
    this.#parts = parts;
    this.#slots = new Slots(inFlightMax);
    this.#isReconnecting = reconnect;
  }

  /** @internal */
  static async open(parts: SessionParts, options: SessionOptions): Promise<GojudgeSession> {
    const session = new GojudgeSession(parts, options);
    const { signal } = options;
    try {
      await parts.retrier.run(() => unlessAborted(session.#current(), signal), wasNeverTaken, signal);
      return session;
    } catch (error) {
      void session.close(); // of a connection that nobody waits for
      throw error;
    }
  }

  /** One program. */
  async run(command: RunCommand, options: CallOptions = {}): Promise<RunOutcome> {
    const [outcome] = await this.runGroup({ commands: [command] }, options);
    return outcome!;
  }

  /** Abort cancels the request on the server and rejects at once with the signal's reason. */
  async runGroup(group: RunGroup, options: CallOptions = {}): Promise<RunOutcome[]> {
    checkCall(options);
    const { signal } = options;
    const request = toWireRequest(group);
    checkRequest(request);
    const attempt = () => this.#send(request, signal);
    return this.#slots.use(() => this.#parts.retrier.run(attempt, wasNeverTaken, signal), signal);
  }

  /** What is under way is rejected and ended. Safe to call twice. */
  async close(): Promise<void> {
    this.#closing.abort(closedError());
    const runs = await this.#connection?.catch(() => null); // never opened: nothing to close
    await runs?.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #send(request: WireRequest, signal?: AbortSignal): Promise<RunOutcome[]> {
    const runs = await unlessAborted(this.#current(), signal);
    signal?.throwIfAborted();
    const { results, cancel } = runs.start(request);
    const outcomes = results.then((all) => outcomesOf(this.#parts.calls, all, request.cmd.length));
    const unsubscribe = onAbort(signal, cancel);
    // Outcomes that come after all are nobody's any more.
    return unlessAborted(outcomes, signal, disposeAll).finally(unsubscribe);
  }

  /** The connection; a new one where there is none, or none any more. */
  async #current(): Promise<SocketRuns> {
    const known = this.#connection;
    const runs = await known;
    const { aborted: isClosed } = this.#closing.signal;
    if (isClosed || (runs?.isOpen === false && !this.#isReconnecting)) throw closedError();
    if (runs?.isOpen) return runs;
    if (this.#connection === known) this.#connection = this.#open(); // else another request did
    return this.#connection!;
  }

  async #open(): Promise<SocketRuns> {
    try {
      return new SocketRuns(await this.#parts.openSocket(this.#closing.signal));
    } catch (error) {
      this.#connection = null; // the next request tries again
      throw error;
    }
  }
}

function closedError(): GojudgeError {
  return failure('GOJUDGE_CLOSED', 'The connection is closed.');
}
