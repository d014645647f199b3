/**
 * Descriptors of one program: which numbers it gets, what is behind them, and what the host keeps. `open`
 * and, once the work folder is filled, `finish` make them; after the start message has been sent the
 * program's ends are closed here, and the host's ends live in `inputs` and `outputs`.
 */

import type { SbxError } from '../../errors.js';
import type { CopyOutBudget } from '../../files/copy-out-budget.js';
import type { FailedMessage, ReportedOutput } from '../../native/native.js';
import type { InputStream } from '../../streams/input.js';
import type { Output } from '../../streams/output.js';
import type { OutputStream } from '../../streams/output-stream.js';
import type { ProgramOptions } from '../../types/program.js';
import type { FdSpec } from '../../types/stdio.js';
import { ChildDescriptors } from './child-descriptors.js';
import type { InitFilesOptions } from './init-files.js';
import { Inputs } from './inputs.js';
import { Outputs } from './outputs.js';
import { Terminal } from './terminal.js';

/**
 * A descriptor that the caller made for the program, closed here once it is sent (pipes between programs).
 */
export interface GivenFd {
  target: number;
  fd: number;
  /** Owned, and closed, by `Stdio`. */
  sent?: boolean;
}

export interface StdioOptions extends InitFilesOptions {
  options: ProgramOptions;
  /** Bound of each capture that has none of its own; `null` for none. */
  outputBytes: number | null;
  onOverflow: () => void;
  /** An iterable given as input threw. */
  onSourceError: (error: SbxError) => void;
  /** Chunks of captured descriptors as they come. */
  onData: (target: number) => ((chunk: Uint8Array) => void) | undefined;
  given: readonly GivenFd[];
  /**
   * Init can make files for the program to read: it has a /proc to open them by, and no other program needs
   * the room.
   */
  makesInputs: boolean;
}

export class Stdio {
  /** As a start message has them, after `finish`. */
  fdRows: number[] = [];
  fds: number[] = [];
  readonly #options: StdioOptions;
  readonly #descriptors: ChildDescriptors;
  readonly #inputs: Inputs;
  readonly #outputs: Outputs;
  /** When the program has one. */
  readonly terminal: Terminal | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#descriptors = new ChildDescriptors(options.folder.native);
    this.#inputs = new Inputs(this.#descriptors, options.folder, options.makesInputs);
    this.#outputs = new Outputs(this.#descriptors, options, (opening) => this.#inputs.wait(opening));
    const { pty } = options.options;
    if (pty === undefined) return;
    const sides = { inputs: this.#inputs, outputs: this.#outputs };
    this.terminal = new Terminal(this.#descriptors.native, pty, sides);
  }

  /** As a start message has them. */
  get contents(): Uint8Array[] {
    return this.#inputs.contents;
  }
  get outputRows(): number[] {
    return this.#outputs.initFiles?.rows ?? [];
  }
  get outputPaths(): string[] {
    return this.#outputs.initFiles?.paths ?? [];
  }

  /** Streams to the program, by descriptor. */
  get inputs(): Map<number, InputStream> {
    return this.#inputs.streams;
  }

  /** Streams from the program, by descriptor. */
  get outputs(): Map<number, OutputStream> {
    return this.#outputs.streams;
  }

  /** Resolves when no output is read any more. */
  allRead(): Promise<unknown> {
    return Promise.all([...this.outputs.values()].map(({ closed }) => closed));
  }

  /**
   * Opens what can be without the files that are copied in; a promise only when something of the host, or
   * beside living programs, must be waited for.
   */
  open(): Promise<void> | undefined {
    const { options, given } = this.#options;
    for (const end of given) {
      end.sent = true;
      this.#descriptors.add(end.target, end.fd, '');
    }
    if (options.fds !== undefined)
      for (const [target, spec] of Object.entries(options.fds))
        if (spec !== undefined) this.#openExtra(Number(target), spec);
    if (this.terminal === null) this.#openStandard(options);
    else this.terminal.prepare();
    return this.#inputs.waitForHost();
  }

  /** The work folder is filled: opens the rest; a promise only when programs live. */
  finish(): Promise<void> | undefined {
    this.#inputs.openFiles();
    const opening = this.#outputs.openPostponed();
    return opening === undefined ? this.#finish() : opening.then(() => this.#finish());
  }

  #finish(): undefined {
    this.#outputs.finish();
    const { fdRows, fds } = this.#descriptors.rows(this.terminal !== null);
    this.fdRows = fdRows;
    this.fds = fds;
  }

  /** Instead of `open`, for a warm process: the host's ends of its three pipes. */
  attachPipes(pipes: readonly number[]): void {
    for (const [target, fd] of pipes.entries()) {
      if (target === 0) this.#inputs.attachStream(target, fd);
      else this.#outputs.attachStream(target, fd);
    }
  }

  /** The start message is sent: closes the program's ends here, and starts to feed its inputs. */
  noteSent(): void {
    this.#descriptors.closeSent();
    this.#inputs.start(this.#options.onSourceError);
  }

  /** The program has not started and will not. */
  abandon(): void {
    this.#descriptors.abandon();
    this.#outputs.drop();
    this.closeStreams();
  }

  /** Closes every stream, read or not. */
  closeStreams(): void {
    this.#closeInputs();
    this.#outputs.closeStreams();
  }

  /** Every process is dead: what was captured. */
  collect(reported: ReportedOutput[] | undefined, budget: CopyOutBudget): Map<number, Output> {
    this.#closeInputs();
    return this.#outputs.collect(reported, budget);
  }

  /** Closes what `collect` would read. */
  drop(reported: readonly ReportedOutput[] | undefined): void {
    this.#closeInputs();
    this.#outputs.drop(reported);
  }

  /** Why a file for output could not be made, when that is what failed. */
  outputError(failed: FailedMessage): SbxError | null {
    return this.#outputs.initFiles?.error(failed) ?? null;
  }

  /** Whether what was collected is more than the program may write. */
  overflowed(collected: ReadonlyMap<number, Output>): boolean {
    return this.#outputs.overflowed(collected);
  }

  #closeInputs(): void {
    this.#inputs.close();
    this.terminal?.close();
  }

  /** Opens 0 to 2, unless a pipe of a group or `fds` replaces them. */
  #openStandard({ stdin = 'empty', stdout = 'capture', stderr = 'capture', fds }: ProgramOptions): void {
    const isFree = (target: number) => fds?.[target] === undefined && !this.#descriptors.has(target);
    if (isFree(1)) this.#outputs.open(1, stdout);
    if (isFree(2)) {
      if (stderr === 'stdout') this.#outputs.share(2, 1);
      else this.#outputs.open(2, stderr);
    }
    if (isFree(0)) this.#inputs.open(0, stdin);
  }

  #openExtra(target: number, spec: FdSpec): void {
    const { fd, output, input } = spec as { fd?: number } & Partial<{ input: never; output: never }>;
    if (fd !== undefined) this.#descriptors.addCopy(target, fd);
    else if (output !== undefined) this.#outputs.open(target, output);
    else this.#inputs.open(target, input!);
  }
}
