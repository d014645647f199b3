/** The client: asks one thing at a time, and never hangs. */
import { join, resolve } from 'node:path';
import { checkOptionNames, FifoError, type FifoReading, STATUS_PIPE, WAIT_PIPE } from '@sbx/fifo-protocol';
import { BYTES, check, checkTimeout, DIR, FLAG, FUNCTION, SIGNAL, TEXT } from './checks.js';
import { exchange } from './exchange.js';
import { openStreams, type ProgramStreams } from './streams.js';
import type {
  CheckpointOptions,
  FifoClientOptions,
  Measurement,
  MemoryCheckpoint,
  RequestOptions,
  WaitOptions,
} from './types.js';

const REQUEST_TIMEOUT_MS = 10_000;
const REQUEST_OPTIONS = ['requestTimeoutMs', 'signal'];

/**
 * Asks the manager of one process. Cheap to make; opens nothing until the first request. One client at a time
 * should use a directory, since replies carry no names; requests of one client wait for each other.
 *
 * @example
 * ```ts
 * const client = new FifoClient(dir);
 * const { cpuTimeUs } = await client.measure(() => playOneRound());
 * const { memoryBytes, status } = await client.wait();
 * await client.wait({ terminate: true });
 * ```
 */
export class FifoClient {
  /** Absolute path of the directory with the pipes. */
  readonly dir: string;
  readonly #requestTimeoutMs: number | null;
  readonly #checkpoints: MemoryCheckpoint[] = [];
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #isTerminated = false;

  constructor(dir: string, options: FifoClientOptions = {}) {
    checkOptionNames(options, ['requestTimeoutMs']);
    check('dir', dir, DIR);
    this.dir = resolve(dir);
    this.#requestTimeoutMs = checkTimeout(options.requestTimeoutMs, REQUEST_TIMEOUT_MS);
  }

  /** Checkpoints made so far, in order. */
  get checkpoints(): readonly MemoryCheckpoint[] {
    return this.#checkpoints;
  }

  /** The one call of the protocol: a reading, and with `terminate` the end of the program. */
  async wait(options: WaitOptions = {}): Promise<FifoReading> {
    checkOptionNames(options, ['terminate', 'requestTimeoutMs', 'signal']);
    const { terminate = false, signal } = options;
    check('terminate', terminate, FLAG);
    if (signal !== undefined) check('signal', signal, SIGNAL);
    const timeoutMs = checkTimeout(options.requestTimeoutMs, this.#requestTimeoutMs);
    signal?.throwIfAborted();
    this.#checkOpen();
    if (terminate) this.#isTerminated = true;
    return this.#inTurn(async () => {
      if (terminate && signal?.aborted) this.#isTerminated = false; // it is not made, so it can be made again
      const both = joinSignals(signal, this.#closing.signal);
      try {
        return await exchange({ ...this.#paths(), terminate, timeoutMs, signal: both.signal });
      } finally {
        both.release();
      }
    });
  }

  /** The last call: ends the program and gives its final figures. */
  async terminate(options: RequestOptions = {}): Promise<FifoReading> {
    checkOptionNames(options, REQUEST_OPTIONS);
    return this.wait({ ...options, terminate: true });
  }

  /**
   * CPU time of the program while `section` runs: what the host does meanwhile is not in it. What the program
   * needs to wake up, read a request and write its answer is, some 25 µs in C and 100 µs in Python: a
   * constant, to be measured with an empty section and subtracted.
   */
  async measure<T>(section: () => T | Promise<T>, options: RequestOptions = {}): Promise<Measurement<T>> {
    check('section', section, FUNCTION);
    checkOptionNames(options, REQUEST_OPTIONS);
    const before = await this.wait(options);
    const value = await section();
    const after = await this.wait(options);
    return { cpuTimeUs: after.cpuTimeUs - before.cpuTimeUs, before, after, value };
  }

  /** Notes the memory held at this point of the run. The program should wait for input meanwhile. */
  async checkpoint(name: string, options: CheckpointOptions = {}): Promise<MemoryCheckpoint> {
    check('name', name, TEXT);
    checkOptionNames(options, ['maxMemoryBytes', ...REQUEST_OPTIONS]);
    const { maxMemoryBytes = null, ...request } = options;
    check('maxMemoryBytes', maxMemoryBytes, BYTES);
    const reading = await this.wait(request);
    const { memoryBytes } = reading;
    const ok = maxMemoryBytes === null || memoryBytes <= maxMemoryBytes;
    const checkpoint = { name, memoryBytes, maxMemoryBytes, ok, reading };
    this.#checkpoints.push(checkpoint);
    return checkpoint;
  }

  /**
   * Opens the program's stdin and stdout, where the manager offers them (`pipes`). Throws a `FifoError` when
   * it does not.
   */
  streams(): ProgramStreams {
    this.#checkOpen();
    return openStreams(this.dir);
  }

  /**
   * Lets go: a request under way rejects. The program is not disturbed; `terminate()` ends it. Safe to call
   * twice.
   */
  async close(): Promise<void> {
    this.#closing.abort(closedError());
    await this.#last.catch(() => undefined);
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #paths(): { waitPath: string; statusPath: string } {
    return { waitPath: join(this.dir, WAIT_PIPE), statusPath: join(this.dir, STATUS_PIPE) };
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
    if (!this.#isTerminated) return;
    const message = 'The last call has been made: nothing can be asked any more.';
    throw new FifoError({ code: 'SBX_FIFO_TERMINATED', message });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Without `AbortSignal.any`, which stays linked to a long-lived signal. */
function joinSignals(
  first: AbortSignal | undefined,
  second: AbortSignal,
): { signal: AbortSignal; release: () => void } {
  if (first === undefined) return { signal: second, release: () => undefined };
  const controller = new AbortController();
  const pass = () => controller.abort(first.aborted ? first.reason : second.reason);
  if (first.aborted || second.aborted) pass();
  for (const signal of [first, second]) signal.addEventListener('abort', pass, { once: true });
  const release = () => {
    for (const signal of [first, second]) signal.removeEventListener('abort', pass);
  };
  return { signal: controller.signal, release };
}

function closedError(): FifoError {
  return new FifoError({ code: 'SBX_FIFO_CLOSED', message: 'The client is closed.' });
}
