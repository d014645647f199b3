/** A living program. */
import { mergeOutputs } from '@sbx/shared';
import { InvalidOptionsError } from '../errors.js';
import { describe } from '../options/describe.js';
import { TERMINAL_SIZE_MAX } from '../options/stdio.js';
import { after, CLOSE_WAIT_MS } from '../run/killing.js';
import type { Running } from '../run/running.js';
import type { InputStream } from '../streams/input.js';
import type { OutputStream } from '../streams/output-stream.js';
import type { LiveUsage } from '../types/limits.js';
import type { RunResult } from '../types/result.js';
import { FileCalls } from './file-calls.js';
import { killProgram } from './kill.js';

/** An event of a process, in order; `exit` is the last. */
export type ProcessEvent =
  | { kind: 'stdout'; bytes: Uint8Array }
  | { kind: 'stderr'; bytes: Uint8Array }
  | { kind: 'exit'; result: RunResult };

/**
 * From `sandbox.spawn()`, `Sandbox.spawn()` or `engine.spawn()`. Streams exist where `'pipe'` was asked for;
 * with a terminal `stdin` and `stdout` do.
 * Leaving the scope of `await using` kills it; breaking out of an iteration does not, and gives the streams
 * back.
 */
export class Process implements AsyncDisposable, AsyncIterable<ProcessEvent> {
  /** Number within its sandbox. */
  readonly id: number;
  /**
   * How it ended. Never rejects for what the program did; rejects with `signal.reason` when the caller's
   * signal ended it.
   */
  readonly result: Promise<RunResult>;
  readonly #running: Running;

  /** @internal */
  static make(running: Running, result: Promise<RunResult>): Process {
    return new Process(running, result);
  }

  private constructor(running: Running, result: Promise<RunResult>) {
    this.#running = running;
    this.id = running.id;
    this.result = result;
    this.result.catch(() => undefined); // a caller who only streams must not be ended by it
  }

  /** `null` unless `stdin: 'pipe'` or a terminal was asked for. */
  get stdin(): InputStream | null {
    return this.#running.stdio.inputs.get(0) ?? null;
  }

  /** `null` unless `stdout: 'pipe'`; the terminal's output when there is one. */
  get stdout(): OutputStream | null {
    return this.#running.stdio.outputs.get(1) ?? null;
  }

  /** `null` unless `stderr: 'pipe'`. */
  get stderr(): OutputStream | null {
    return this.#running.stdio.outputs.get(2) ?? null;
  }

  /** Pipes by number of descriptor, also where `options.fds` has one of the first three go the other way. */
  get fds(): Record<number, InputStream | OutputStream> {
    const { inputs, outputs } = this.#running.stdio;
    return Object.fromEntries([...inputs, ...outputs]);
  }

  /** Files of its sandbox, until that is closed: of a program that has it to itself at its end. */
  get files(): FileCalls {
    const { folder } = this.#running.lease;
    return FileCalls.of(folder, folder.checkOpen);
  }

  /**
   * Without a signal: SIGTERM if there is a `killGraceMs`, then SIGKILL to all of it. With one: that signal
   * to the main process.
   */
  kill(signal?: NodeJS.Signals | number): void {
    killProgram(this.#running, signal);
  }

  /** Changes the size of its terminal. */
  resize(cols: number, rows: number): void {
    for (const [field, value] of Object.entries({ cols, rows })) {
      if (Number.isInteger(value) && value >= 0 && value <= TERMINAL_SIZE_MAX) continue;
      const expected = `must be an integer from 0 to ${TERMINAL_SIZE_MAX}`;
      throw new InvalidOptionsError({ field, rule: 'range', expected, got: describe(value) });
    }
    const { terminal } = this.#running.stdio;
    if (terminal !== null) return terminal.resize(cols, rows);
    const expected = 'is for programs with a terminal';
    const hint = 'Spawn it with `pty: {}`.';
    throw new InvalidOptionsError({ field: 'resize', rule: 'conflict', expected, hint });
  }

  /** Its usage now, or in all when it has ended. CPU time never goes down. */
  usage(): LiveUsage {
    return this.#running.usage();
  }

  /** Kills it if it lives, and lets go of its streams. Safe to call twice. */
  async close(): Promise<void> {
    if (!this.#running.ended) {
      this.#running.end();
      await Promise.race([this.result.catch(() => undefined), after(this.#running.graceMs + CLOSE_WAIT_MS)]);
    }
    this.#running.stdio.closeStreams();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Chunks of stdout and stderr as they come, then the end. Between the two there is no order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ProcessEvent, void, undefined> {
    const { stdout, stderr } = this;
    if (stdout === null && stderr === null) {
      const expected = 'can be iterated only where stdout or stderr is a pipe';
      const hint = "Spawn it with stdout: 'pipe' or stderr: 'pipe', or await its result.";
      throw new InvalidOptionsError({ field: 'process', rule: 'conflict', expected, hint });
    }
    yield* mergeOutputs({ stdout, stderr });
    yield { kind: 'exit', result: await this.result };
  }
}

/** A living program whose streams are there for sure where its options ask for them. */
export type ProcessFor<Options> = Process &
  StreamFor<Options, 'stdin', InputStream> &
  StreamFor<Options, 'stdout', OutputStream> &
  StreamFor<Options, 'stderr', OutputStream> &
  TerminalStreams<Options>;

/** A living program whose three streams are pipes. */
export type PipedProcess = ProcessFor<{ stdin: 'pipe'; stdout: 'pipe'; stderr: 'pipe' }>;

/** The stream of one name: there where its option is `'pipe'`. */
export type StreamFor<Options, Name extends string, Stream> =
  Options extends Readonly<Record<Name, 'pipe'>> ? { readonly [Key in Name]: Stream } : unknown;

/** What is typed into a terminal and what it shows: there with `pty`, the latter unless `capture` has it. */
export type TerminalStreams<Options> = Options extends { readonly pty: infer Pty extends object }
  ? { readonly stdin: InputStream } & ('capture' extends keyof Pty
      ? unknown
      : { readonly stdout: OutputStream })
  : unknown;

/** Makes a key that is none of `Known`'s an error, as in any object literal. */
export type NoOtherKeys<Options, Known> = { readonly [Key in Exclude<keyof Options, keyof Known>]: never };
