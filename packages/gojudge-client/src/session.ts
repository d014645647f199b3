/** Many requests over one `/ws` connection. */
import type { CallOptions, GojudgeClient } from './client.js';
import { GojudgeError, runError } from './errors.js';
import { RunOutcome } from './outcome.js';
import { type RunCommand, type RunGroup, toWireRequest } from './request.js';
import { bytesOf, type SocketLike, whenOpen } from './transport.js';
import { isSocketResult } from './wire/index.js';

interface Pending {
  resolve(outcomes: RunOutcome[]): void;
  reject(error: unknown): void;
}

/** From `client.connect()`. When the connection goes, what is under way is rejected and killed by the server. */
export class GojudgeSession implements AsyncDisposable {
  readonly #client: GojudgeClient;
  readonly #socket: SocketLike;
  readonly #pending = new Map<string, Pending>();
  readonly #closed: Promise<void>;
  #isClosed = false;
  #nextId = 1;

  private constructor(client: GojudgeClient, socket: SocketLike) {
    this.#client = client;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: { data: unknown }) => this.#onMessage(bytesOf(data)));
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        this.#onClose();
        resolve();
      });
    });
  }

  /** @internal */
  static async open(client: GojudgeClient, socket: SocketLike): Promise<GojudgeSession> {
    socket.binaryType = 'arraybuffer';
    const session = new GojudgeSession(client, socket);
    await whenOpen(socket);
    return session;
  }

  /** One program. */
  async run(command: RunCommand, options: CallOptions = {}): Promise<RunOutcome> {
    const [outcome] = await this.runGroup({ commands: [command] }, options);
    return outcome!;
  }

  /** Abort cancels the request on the server, waits for its answer, and rejects with the signal's reason. */
  async runGroup(group: RunGroup, { signal }: CallOptions = {}): Promise<RunOutcome[]> {
    signal?.throwIfAborted();
    if (this.#isClosed)
      throw new GojudgeError({ code: 'GOJUDGE_CLOSED', message: 'The connection is closed.' });
    const requestId = `${this.#nextId++}`;
    const cancel = () => this.#socket.send(JSON.stringify({ cancelRequestId: requestId }));
    const answer = new Promise<RunOutcome[]>((resolve, reject) =>
      this.#pending.set(requestId, { resolve, reject }),
    );
    this.#socket.send(JSON.stringify(toWireRequest(group, requestId)));
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const outcomes = await answer;
      if (!signal?.aborted) return outcomes;
      await Promise.all(outcomes.map((outcome) => outcome[Symbol.asyncDispose]()));
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    throw signal.reason;
  }

  /** Requests under way are killed by the server. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.#closed;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #onMessage(message: Uint8Array): void {
    const answer: unknown = JSON.parse(new TextDecoder().decode(message));
    if (!isSocketResult(answer)) return this.#socket.close();
    const pending = this.#pending.get(answer.requestId);
    if (pending === undefined) return;
    this.#pending.delete(answer.requestId);
    if (answer.error !== undefined) pending.reject(runError(answer.error));
    else pending.resolve((answer.results ?? []).map((result) => new RunOutcome(this.#client, result)));
  }

  #onClose(): void {
    this.#isClosed = true;
    const error = new GojudgeError({
      code: 'GOJUDGE_CONNECTION',
      message: 'The connection was closed: by a restart, or because the server could not read a request.',
      retryable: true,
    });
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
