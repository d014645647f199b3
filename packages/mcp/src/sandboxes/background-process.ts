/** A process that goes on between calls: what it wrote since the last one, and how it ended. */
import { EventEmitter, once } from 'node:events';
import type { LiveUsage, OutputStream, PipedProcess, RunResult, Usage } from '@sbx/core';
import { after } from '@sbx/serving';
import type { ShownText } from '../shown-text.js';
import { ToolError } from './tool-error.js';
import { UnreadOutput } from './unread-output.js';

/** Lines that come together are read together. */
const JOIN_MS = 50;
/** Where it writes without end and nobody reads it, there is a pause after so much. */
const PAUSE_AFTER_BYTES = 64 * 1024;
const PAUSE_MS = 50;
/** As much as so many bytes counts that they came alone. */
const CHUNK_COST_BYTES = 256;
/** So long a process may take to read what it is given; then it goes on to wait in the pipe. */
const INPUT_WAIT_MS = 1000;

export interface Reading {
  /** `null` while it runs. */
  result: RunResult | null;
  usage: Usage | LiveUsage;
  stdout: ShownText;
  stderr: ShownText;
}

export class BackgroundProcess {
  readonly id: string;
  /** What was started, for lists. */
  readonly command: string;
  readonly #process: PipedProcess;
  readonly #stdout: UnreadOutput;
  readonly #stderr: UnreadOutput;
  /** Settles once it has ended and all of its output is here. */
  readonly #ended: Promise<void>;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #result: RunResult | null = null;
  #failure: unknown = null;
  #isInputPending = false;

  /** Of each output the last `keptBytes` are kept until they are read. */
  constructor(id: string, command: string, process: PipedProcess, keptBytes: number) {
    this.id = id;
    this.command = command;
    this.#process = process;
    this.#stdout = new UnreadOutput(keptBytes);
    this.#stderr = new UnreadOutput(keptBytes);
    this.#ended = this.#follow();
  }

  get isRunning(): boolean {
    return this.#result === null && this.#failure === null;
  }

  /** Resolves when there is something to read, when it has ended, or after `waitMs`. */
  async whenNews(waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs === 0 || this.#hasNews) return;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    await once(this.#events, 'news', { signal: enough }).catch(() => undefined);
    signal.throwIfAborted();
    if (this.isRunning) await Promise.race([this.#ended, after(JOIN_MS)]);
  }

  /** What it wrote since the last reading. Throws what made its sandbox fail, if that did. */
  read(): Reading {
    if (this.#failure !== null) throw this.#failure;
    const isLast = !this.isRunning;
    return {
      result: this.#result,
      usage: this.#result?.usage ?? this.#process.usage(),
      stdout: this.#stdout.read(isLast),
      stderr: this.#stderr.read(isLast),
    };
  }

  /** Whether it has taken all of it; what it has not waits for it. */
  async write(text: string, isLast: boolean): Promise<boolean> {
    if (this.#isInputPending) {
      throw new ToolError(
        `Process ${this.id} has not read what it was given before. Wait until it does, or stop it with stop_process.`,
      );
    }
    this.#isInputPending = true;
    const { stdin } = this.#process;
    const written = (isLast ? stdin.end(text) : stdin.write(text)).then(() => true);
    const settled = written.finally(() => {
      this.#isInputPending = false;
    });
    settled.catch(() => undefined); // whoever gave it may not wait for it any more
    return Promise.race([settled, after(INPUT_WAIT_MS).then(() => false)]);
  }

  /** Ends it with all that it started. */
  async stop(): Promise<void> {
    this.#process.kill();
    await this.#ended;
  }

  get #hasNews(): boolean {
    return !this.isRunning || !this.#stdout.isEmpty || !this.#stderr.isEmpty;
  }

  async #follow(): Promise<void> {
    const { stdout, stderr, result } = this.#process;
    try {
      await Promise.all([this.#keep(stdout, this.#stdout), this.#keep(stderr, this.#stderr)]);
      this.#result = await result;
    } catch (error) {
      this.#failure = error;
    }
    this.#process.stdin.destroy();
    this.#events.emit('news');
  }

  /** It is never kept waiting for a reader, only slowed down where it writes more than anybody would read. */
  #keep(stream: OutputStream, unread: UnreadOutput): Promise<void> {
    let taken = 0;
    return stream.each((chunk) => {
      unread.push(chunk);
      this.#events.emit('news');
      taken = unread.hasLost ? taken + chunk.byteLength + CHUNK_COST_BYTES : 0;
      if (taken < PAUSE_AFTER_BYTES) return null;
      taken = 0;
      return after(PAUSE_MS);
    });
  }
}
