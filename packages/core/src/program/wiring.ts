/**
 * Descriptors of one program: which numbers it gets, what is behind them, and what the host keeps. `open` and, once the work
 * folder is filled, `finish` make them; after the start message has been sent the program's ends are closed here, and the
 * host's ends live in `inputs` and `outputs`.
 */

import type { SbxError } from '../errors.js';
import type { TakeOutBudget } from '../files/take-out.js';
import type { FailedMessage, ReportedOutput } from '../native.js';
import type { InputStream } from '../streams/input.js';
import type { Output } from '../streams/output.js';
import type { OutputStream } from '../streams/output-stream.js';
import type { FdSpec, ProgramOptions } from '../types.js';
import { Ends } from './ends.js';
import { Inputs } from './inputs.js';
import type { MadeFilesOptions } from './made-files.js';
import { Outputs } from './outputs.js';
import { Terminal } from './terminal.js';

/** A descriptor that the caller made for the program, closed here once it is sent (pipes between programs). */
export interface GivenFd {
  target: number;
  fd: number;
  /** Taken over by the wiring, which closes it. */
  sent?: boolean;
}

export interface WiringOptions extends MadeFilesOptions {
  options: ProgramOptions;
  /** Bound of each capture that has none of its own; `null` for none. */
  outputBytes: number | null;
  onOverflow: () => void;
  /** An iterable given as input threw. */
  onSourceError: (error: SbxError) => void;
  /** Chunks of captured descriptors as they come. */
  onData: (target: number) => ((chunk: Uint8Array) => void) | undefined;
  given: readonly GivenFd[];
  /** Init can make files for the program to read: it has a /proc to open them by, and no other program needs the room. */
  makesInputs: boolean;
}

export class Wiring {
  /** As a start message has them, after `finish`. */
  fdRows: number[] = [];
  fds: number[] = [];
  readonly #options: WiringOptions;
  readonly #ends: Ends;
  readonly #inputs: Inputs;
  readonly #outputs: Outputs;
  /** When the program has one. */
  readonly terminal: Terminal | null = null;

  constructor(options: WiringOptions) {
    this.#options = options;
    this.#ends = new Ends(options.folder.native);
    this.#inputs = new Inputs(this.#ends, options.folder, options.makesInputs);
    this.#outputs = new Outputs(this.#ends, options);
    const { pty } = options.options;
    if (pty === undefined) return;
    const sides = { inputs: this.#inputs, outputs: this.#outputs };
    this.terminal = new Terminal(this.#ends.native, pty, sides);
  }

  /** As a start message has them. */
  get contents(): Uint8Array[] {
    return this.#inputs.contents;
  }
  get outputRows(): number[] {
    return this.#outputs.made.rows;
  }
  get outputPaths(): string[] {
    return this.#outputs.made.paths;
  }

  /** Streams to the program, by descriptor. */
  get inputs(): Map<number, InputStream> {
    return this.#inputs.streams;
  }

  /** Streams from the program, by descriptor. */
  get outputs(): Map<number, OutputStream> {
    return this.#outputs.streams;
  }

  /** Opens what can be without the files that are copied in; a promise only when something of the host must be waited for. */
  open(): Promise<void> | undefined {
    const { options, given } = this.#options;
    for (const end of given) {
      end.sent = true;
      this.#ends.give(end.target, end.fd, '');
    }
    if (options.fds !== undefined)
      for (const [target, spec] of Object.entries(options.fds))
        if (spec !== undefined) this.#openExtra(Number(target), spec);
    if (this.terminal === null) this.#openStandard(options);
    else this.terminal.prepare();
    return this.#inputs.waitForHost();
  }

  /** The work folder is filled: opens the rest. */
  finish(): void {
    this.#inputs.openFiles();
    this.#outputs.finish();
    const { fdRows, fds } = this.#ends.rows(this.terminal !== null);
    this.fdRows = fdRows;
    this.fds = fds;
  }

  /** In place of `open`, for a program that has waited with three pipes: our ends of them. */
  adopt(pipes: readonly number[]): void {
    for (const [target, fd] of pipes.entries()) {
      if (target === 0) this.#inputs.attachStream(target, fd);
      else this.#outputs.attachStream(target, fd);
    }
  }

  /** The start message is out: the program's ends are the program's. */
  sent(): void {
    this.#ends.sent();
    this.#inputs.start(this.#options.onSourceError);
  }

  /** The program has not started and will not. */
  abandon(): void {
    this.#ends.abandon();
    this.#outputs.drop();
    this.closeStreams();
  }

  /** Lets go of every stream, read or not. */
  closeStreams(): void {
    this.#closeInputs();
    this.#outputs.closeStreams();
  }

  /** Every process is dead: what was captured. */
  collect(reported: ReportedOutput[] | undefined, budget: TakeOutBudget): Map<number, Output> {
    this.#closeInputs();
    return this.#outputs.collect(reported, budget);
  }

  /** As `collect`, when nobody wants it. */
  drop(reported: readonly ReportedOutput[] | undefined): void {
    this.#closeInputs();
    this.#outputs.drop(reported);
  }

  /** Why a file for output could not be made, when that is what failed. */
  outputError(failed: FailedMessage): SbxError | null {
    return this.#outputs.made.error(failed);
  }

  /** Whether what was collected is more than the program may write. */
  overflowed(collected: ReadonlyMap<number, Output>): boolean {
    return this.#outputs.overflowed(collected);
  }

  #closeInputs(): void {
    this.#inputs.close();
    this.terminal?.close();
  }

  /** What neither a pipe of a group nor `fds` stands in for. */
  #openStandard({ stdin = 'empty', stdout = 'capture', stderr = 'capture', fds }: ProgramOptions): void {
    const isFree = (target: number) => fds?.[target] === undefined && !this.#ends.has(target);
    if (isFree(1)) this.#outputs.open(1, stdout);
    if (isFree(2)) {
      if (stderr === 'stdout') this.#outputs.share(2, 1);
      else this.#outputs.open(2, stderr);
    }
    if (isFree(0)) this.#inputs.open(0, stdin);
  }

  #openExtra(target: number, spec: FdSpec): void {
    const { fd, output, input } = spec as { fd?: number } & Partial<{ input: never; output: never }>;
    if (fd !== undefined) this.#ends.inherit(target, fd);
    else if (output !== undefined) this.#outputs.open(target, output);
    else this.#inputs.open(target, input!);
  }
}
