/** An interactive run: output as it comes, input as it is typed. */
import type { GojudgeClient } from './client.js';
import { GojudgeError, runError } from './errors.js';
import { RunOutcome } from './outcome.js';
import { type RunCommand, toWireRequest } from './request.js';
import { bytesOf, type SocketLike, whenOpen } from './transport.js';
import {
  cancelFrame,
  inputFrame,
  isSocketResult,
  parseServerFrame,
  requestFrame,
  resizeFrame,
} from './wire/index.js';

/** Bytes from a descriptor of the program. */
export interface StreamChunk {
  fd: number;
  bytes: Uint8Array;
}

/** Input waits while more than this is unsent. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
const LOOK_AGAIN_MS = 10;

/** Iterate it for output; `result` is how it ended. Closing it kills the program. */
export class InteractiveRun implements AsyncIterable<StreamChunk>, AsyncDisposable {
  /** Rejects when the request failed as a whole, or the connection went away. */
  readonly result: Promise<RunOutcome>;
  readonly #socket: SocketLike;
  readonly #chunks: StreamChunk[] = [];
  readonly #closed: Promise<void>;
  #wake: () => void = () => undefined;
  #isOver = false;

  private constructor(client: GojudgeClient, socket: SocketLike) {
    this.#socket = socket;
    let onClose!: () => void;
    this.result = new Promise((resolve, reject) => {
      socket.addEventListener('message', ({ data }: { data: unknown }) => {
        try {
          const outcome = this.#onMessage(client, bytesOf(data));
          if (outcome !== null) resolve(outcome);
        } catch (error) {
          reject(error);
          socket.close();
        }
      });
      onClose = () => {
        const message = 'The connection was closed before the run ended.';
        reject(new GojudgeError({ code: 'GOJUDGE_CONNECTION', message, retryable: true }));
      };
    });
    this.result.catch(() => undefined); // told to whoever asks
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        onClose();
        this.#end();
        resolve();
      });
    });
  }

  /** @internal */
  static async open(client: GojudgeClient, socket: SocketLike, command: RunCommand): Promise<InteractiveRun> {
    socket.binaryType = 'arraybuffer';
    const run = new InteractiveRun(client, socket);
    await whenOpen(socket);
    socket.send(requestFrame(JSON.stringify(toWireRequest({ commands: [command] }))));
    return run;
  }

  /** Resolves when the connection is not too far behind. On a terminal `'\x04'` is the end of input. */
  async write(data: string | Uint8Array, fd = 0): Promise<void> {
    this.#send(inputFrame(0, fd, typeof data === 'string' ? new TextEncoder().encode(data) : data));
    while (!this.#isOver && this.#socket.bufferedAmount > BUFFERED_BYTES_MAX) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** Size of its terminal. */
  resize(cols: number, rows: number, fd = 0): void {
    this.#send(resizeFrame({ index: 0, fd, cols, rows }));
  }

  /** Kills the program; its result still comes. */
  cancel(): void {
    if (!this.#isOver) this.#socket.send(cancelFrame());
  }

  /** Output until the end. One reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamChunk, void, undefined> {
    for (;;) {
      while (this.#chunks.length > 0) yield this.#chunks.shift()!;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Kills the program if it lives, and drops the connection. Safe to call twice. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.#closed;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #send(frame: Uint8Array): void {
    if (this.#isOver) throw new GojudgeError({ code: 'GOJUDGE_CLOSED', message: 'The run has ended.' });
    this.#socket.send(frame);
  }

  /** The outcome, when this is the last message. */
  #onMessage(client: GojudgeClient, message: Uint8Array): RunOutcome | null {
    const frame = parseServerFrame(message);
    if (frame === null) {
      throw new GojudgeError({
        code: 'GOJUDGE_PROTOCOL',
        message: 'The server sent what no go-judge sends.',
      });
    }
    if (frame.kind === 'output') {
      this.#chunks.push({ fd: frame.fd, bytes: frame.bytes });
      this.#wake();
      return null;
    }
    this.#end();
    const answer: unknown = JSON.parse(frame.json);
    const result = isSocketResult(answer) ? answer.results?.[0] : undefined;
    if (result !== undefined) return new RunOutcome(client, result);
    throw runError((answer as { error?: string }).error ?? 'The run failed; the server did not say why.');
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}
