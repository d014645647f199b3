/** An interactive run: output as it comes, input as it is typed. */
import { onAbort } from '@sbx/shared';
import { checkRequest } from './check.js';
import type { RunGroup } from './command.js';
import { failure, runError } from './errors.js';
import {
  AMOUNT,
  checkOptions,
  type OptionRules,
  RECORD,
  refuse,
  SIGNAL,
  TEXT,
  type ValueRule,
} from './option-check.js';
import { outcomesOf, type RunOutcome } from './outcome.js';
import { MESSAGE_COST_BYTES, OutputQueue } from './output-queue.js';
import { toWireRequest } from './request.js';
import { parseAnswer, protocolError } from './socket-answer.js';
import type { FileCalls } from './stored-file.js';
import { bytesOf, connectionError, type SocketLike } from './transport.js';
import { MIB } from './units.js';
import { cancelFrame, inputFrame, parseServerFrame, requestFrame, resizeFrame } from './wire/index.js';

/**
 * Bytes from a descriptor of a program. On a terminal all outputs are one, under any of their descriptors.
 */
export interface StreamChunk {
  /** Which program. */
  index: number;
  /** Which descriptor. */
  fd: number;
  /** What came, in order. */
  bytes: Uint8Array;
}

/** Which input, by program and descriptor. Default 0 and 0. */
export interface StreamPlace {
  /** Place of the command in its group. Default 0. */
  index?: number | undefined;
  /** Descriptor of the program. */
  fd?: number | undefined;
}

/** Options of `interact`. */
export interface InteractOptions {
  /** Name of the run, for servers with a live view. Default: none. */
  requestId?: string | undefined;
  /** Size of the terminal from the beginning, with `tty`. */
  terminal?: { cols: number; rows: number } | undefined;
  /**
   * Output that nobody has read, in bytes, with 512 for each message, of which a server sends one for each
   * write of a program at most; more ends the run with `GOJUDGE_OVERFLOW`. Default 64 MiB.
   */
  unreadBytesMax?: number | undefined;
  /** Abort ends the run; `results` rejects with its reason. */
  signal?: AbortSignal | undefined;
}

const SIDE: ValueRule = [
  'a size from 0 to 65535',
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff,
];
const INTERACT_RULES: OptionRules<InteractOptions> = {
  requestId: TEXT,
  terminal: RECORD,
  unreadBytesMax: AMOUNT,
  signal: SIGNAL,
};

/** Throws `GOJUDGE_REQUEST`. */
function checkSize(place: string, size: { cols: number; rows: number }): void {
  checkOptions(place, size, { cols: SIDE, rows: SIDE });
  if (size.cols === undefined || size.rows === undefined) refuse(place, '{ cols, rows }', size);
}

/** Input waits while more than this is unsent. */
const UNSENT_BYTES_MAX = MIB;
const LOOK_AGAIN_MS = 10;
/** Input of one message: a cancel behind it must not wait for long. */
const INPUT_CHUNK_BYTES = 32_768;
/** What a terminal takes as the end of input. */
const END_OF_INPUT = Uint8Array.of(4);

/** Iterate it for output; `result` is how it ended. Closing it kills the programs. */
export class InteractiveRun implements AsyncIterable<StreamChunk>, AsyncDisposable {
  /** One for each program. Rejects when the request failed as a whole, or the connection went away. */
  readonly results: Promise<RunOutcome[]>;
  readonly #calls: FileCalls;
  readonly #socket: SocketLike;
  readonly #queue: OutputQueue<StreamChunk>;
  readonly #unreadBytesMax: number;
  readonly #isTerminal: readonly boolean[];
  readonly #closed: Promise<void>;
  #settle!: { resolve(outcomes: RunOutcome[]): void; reject(error: unknown): void };
  #isOver = false;

  private constructor(
    calls: FileCalls,
    socket: SocketLike,
    group: RunGroup,
    { unreadBytesMax = 64 * MIB, signal }: InteractOptions,
  ) {
    this.#calls = calls;
    this.#socket = socket;
    this.#unreadBytesMax = unreadBytesMax;
    this.#isTerminal = group.commands.map(({ tty = false }) => tty);
    this.#queue = new OutputQueue((isHeld) => (isHeld ? socket.pause?.() : socket.resume?.()));
    this.results = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.results.catch(() => undefined); // told to whoever asks
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', (event) => this.#onMessage(event));
    const unsubscribe = onAbort(signal, () => this.#fail(signal!.reason));
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        unsubscribe();
        this.#fail(connectionError('The connection was closed before the run ended.'));
        resolve();
      });
    });
  }

  /** @internal */
  static async open(
    calls: FileCalls,
    openSocket: (signal: AbortSignal | undefined) => Promise<SocketLike>,
    group: RunGroup,
    options: InteractOptions,
  ): Promise<InteractiveRun> {
    checkOptions('options', options, INTERACT_RULES);
    if (options.terminal !== undefined) checkSize('options.terminal', options.terminal);
    const request = toWireRequest(group, options.requestId);
    checkRequest(request, true);
    options.signal?.throwIfAborted();
    const socket = await openSocket(options.signal);
    const run = new InteractiveRun(calls, socket, group, options);
    if (options.signal?.aborted) {
      await run.close();
      throw options.signal.reason;
    }
    socket.send(requestFrame(JSON.stringify(request)));
    if (options.terminal !== undefined) run.resize(options.terminal.cols, options.terminal.rows);
    return run;
  }

  /** How the first program ended. */
  get result(): Promise<RunOutcome> {
    return this.results.then(([outcome]) => outcome!);
  }

  /** Resolves when the connection is not too far behind. */
  async write(data: string | Uint8Array, { index = 0, fd = 0 }: StreamPlace = {}): Promise<void> {
    const bytes = bytesOf(data);
    for (let at = 0; at < bytes.byteLength; at += INPUT_CHUNK_BYTES) {
      this.#send(inputFrame(index, fd, bytes.subarray(at, at + INPUT_CHUNK_BYTES)));
      while (!this.#isOver && this.#socket.bufferedAmount > UNSENT_BYTES_MAX) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS)); // sockets have no event for this
      }
      if (this.#isOver) return; // nobody reads the rest
    }
  }

  /** Writes all that comes, until the run ends. */
  async writeFrom(source: AsyncIterable<string | Uint8Array>, place?: StreamPlace): Promise<void> {
    for await (const data of source) {
      if (this.#isOver) return;
      await this.write(data, place);
    }
  }

  /**
   * Ends the input of a terminal, as Ctrl-D on an empty line does. The protocol has no way to end any other.
   */
  async endInput(place: StreamPlace = {}): Promise<void> {
    if (!this.#isTerminal[place.index ?? 0]) {
      const message = 'Only the input of a terminal can be ended: set tty, or give the input as stdin.';
      throw failure('GOJUDGE_UNSUPPORTED', message);
    }
    await this.write(END_OF_INPUT, place);
  }

  /** Size of its terminal. */
  resize(cols: number, rows: number, { index = 0, fd = 0 }: StreamPlace = {}): void {
    checkSize('resize', { cols, rows });
    this.#send(resizeFrame({ index, fd, cols, rows }));
  }

  /** Kills the programs; the results still come. */
  cancel(): void {
    if (!this.#isOver) this.#socket.send(cancelFrame());
  }

  /** Output until the end. One reader; leaving early drops what comes after. */
  [Symbol.asyncIterator](): AsyncGenerator<StreamChunk, void, undefined> {
    return this.#queue.read();
  }

  /** All output as UTF-8 text, as one reader. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const { bytes } of this) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  }

  /** Kills what lives, and drops the connection. Safe to call twice. */
  async close(): Promise<void> {
    this.#fail(failure('GOJUDGE_CLOSED', 'The run was closed before it ended.'));
    await this.#closed;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #send(frame: Uint8Array): void {
    if (this.#isOver) throw failure('GOJUDGE_CLOSED', 'The run has ended.');
    this.#socket.send(frame);
  }

  #onMessage({ data }: { data?: unknown }): void {
    if (this.#isOver) return;
    const frame = parseServerFrame(bytesOf(data));
    if (frame === null) return this.#fail(protocolError());
    if (frame.kind === 'response') return this.#onResponse(frame.json);
    this.#queue.push({ index: frame.index, fd: frame.fd, bytes: frame.bytes });
    if (this.#queue.waitingBytes <= this.#unreadBytesMax) return;
    this.#queue.clear();
    const text = `More than ${this.#unreadBytesMax} bytes of output were not read (each message counts ${MESSAGE_COST_BYTES} more): raise unreadBytesMax.`;
    this.#fail(failure('GOJUDGE_OVERFLOW', text));
  }

  #onResponse(json: string): void {
    const answer = parseAnswer(json);
    if (answer === null) return this.#fail(protocolError());
    this.#isOver = true;
    this.#queue.end();
    const results = answer.results ?? [];
    try {
      if (results.length === 0) throw runError(answer.error ?? 'The run failed; the server did not say why.');
      this.#settle.resolve(outcomesOf(this.#calls, results, this.#isTerminal.length));
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  #fail(error: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#queue.end();
      this.#settle.reject(error);
    }
    this.#socket.close();
  }
}
