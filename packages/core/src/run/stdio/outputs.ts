/**
 * The outputs of a program: from the caller's specification to both ends of each descriptor, and the
 * collected bytes.
 */
import { fstatSync } from 'node:fs';
import { FileAccessError, InvalidOptionsError } from '../../errors.js';
import { inTreeBeside } from '../../files/beside-programs.js';
import type { CopyOutBudget } from '../../files/copy-out-budget.js';
import { notRegular } from '../../files/refusals.js';
import { inTree } from '../../files/trees.js';
import { ENOENT } from '../../native/errno.js';
import {
  FD_HOLD,
  FD_OUTPUT,
  hostError,
  type NativeReader,
  type OpenedOutput,
  type ReportedOutput,
} from '../../native/native.js';
import { EMPTY_OUTPUT, Output } from '../../streams/output.js';
import { OutputStream } from '../../streams/output-stream.js';
import type { CaptureOptions, FileOutput, OutputSpec } from '../../types/stdio.js';
import type { ChildDescriptors } from './child-descriptors.js';
import { type CollectedFile, closeReported, InitFiles, type InitFilesOptions } from './init-files.js';

export interface OutputsOptions extends InitFilesOptions {
  /** Bound of each capture that has none of its own; `null` for none. */
  outputBytes: number | null;
  onOverflow: () => void;
  /** Chunks of captured descriptors as they come. */
  onData: (target: number) => ((chunk: Uint8Array) => void) | undefined;
}

const CAPTURE_UNBOUNDED = 2 ** 31;
const NO_BYTES = new Uint8Array(0);

/** The members of `OutputSpec` that are objects, as one. A key with `undefined` is not there. */
type AnyOutput = Partial<{ capture: CaptureOptions; inherit: number; sameAs: number } & FileOutput>;

export class Outputs {
  readonly streams = new Map<number, OutputStream>();
  /** Files created by init, once there are some. */
  initFiles: InitFiles | null = null;
  readonly #captures = new Map<number, NativeReader>();
  /** Captures that end nothing when they are full. */
  readonly #discarding = new Set<number>();
  readonly #collecting = new Map<number, { fd: number; want: NonNullable<FileOutput['collect']> }>();
  /** Files whose folder does not exist yet. */
  readonly #postponed: [number, FileOutput][] = [];
  readonly #shared = new Map<number, number>();
  readonly #descriptors: ChildDescriptors;
  readonly #options: OutputsOptions;
  readonly #wait: (opening: Promise<void>) => void;

  /** `wait`: the start waits for this. */
  constructor(
    descriptors: ChildDescriptors,
    options: OutputsOptions,
    wait: (opening: Promise<void>) => void,
  ) {
    this.#descriptors = descriptors;
    this.#options = options;
    this.#wait = wait;
  }

  open(target: number, spec: OutputSpec): void {
    if (spec === 'null') return this.#descriptors.addNull(target);
    if (spec === 'closed') return;
    if (spec === 'capture') return this.#openCapture(target, this.#options.outputBytes, false);
    if (spec === 'pipe')
      return this.#descriptors.addStreamedPipe(target, true, (fd) => this.attachStream(target, fd));
    const { capture, file, inherit, sameAs } = spec as AnyOutput;
    if (inherit !== undefined) return this.#descriptors.addCopy(target, inherit);
    if (sameAs !== undefined) return this.share(target, sameAs);
    if (file !== undefined) return this.#openFile(target, spec as FileOutput, true);
    this.#openCapture(target, capture!.maxBytes, capture!.overflow === 'discard');
  }

  /** `target` goes where `other` goes, once all is open. */
  share(target: number, other: number): void {
    this.#shared.set(target, other);
  }

  /** Opens the outputs that had to wait for the files in the work folder; a promise while programs live. */
  openPostponed(): Promise<void> | undefined {
    if (this.#options.folder.isLiving() && this.#postponed.length > 0) return this.#openPostponedBeside();
    for (const [target, spec] of this.#postponed) this.#openFile(target, spec, false);
    return undefined;
  }

  async #openPostponedBeside(): Promise<void> {
    for (const [target, spec] of this.#postponed) await this.#openFileBeside(target, spec, false);
  }

  /** Then those that had to wait for other descriptors. */
  finish(): void {
    // Each round resolves at least one, or the rest refers to no descriptor.
    for (let left = this.#shared.size; left > 0; left = this.#shared.size) {
      for (const [target, other] of this.#shared) this.#tryShare(target, other);
      if (this.#shared.size === left) throw sharesNothing(this.#shared);
    }
  }

  /** Of what a pipe or a terminal brings, as it comes. */
  attachStream(target: number, fd: number): void {
    this.streams.set(target, OutputStream.make(this.#descriptors.native, fd));
  }

  /** The terminal's output, collected. With `onFull` that is called instead of ending the program. */
  attachCapture(
    target: number,
    fd: number,
    { maxBytes, onFull }: { maxBytes?: number; onFull?: () => void },
  ): void {
    this.#capture(target, fd, maxBytes ?? this.#options.outputBytes, onFull);
  }

  /** Reads no more of a capture, and closes; what was kept stays. */
  hangUp(target: number): void {
    this.#captures.get(target)?.close();
  }

  /** Every process is dead: what was captured, and what the collected files hold. */
  collect(reported: ReportedOutput[] | undefined, budget: CopyOutBudget): Map<number, Output> {
    const collected = new Map(
      this.initFiles?.collect(reported, budget, (fd, want) => this.#readCollected(fd, want, budget)),
    );
    for (const [target, reader] of this.#captures) {
      const finished = reader.finish();
      collected.set(target, finished === undefined ? EMPTY_OUTPUT : new Output(...finished));
    }
    for (const [target, held] of this.#collecting) {
      this.#collecting.delete(target); // its reader closes it
      collected.set(target, this.#readCollected(held.fd, held.want, budget));
    }
    this.#endStreams();
    return collected;
  }

  /** Whether one of them came to more than ends a program. */
  overflowed(collected: ReadonlyMap<number, Output>): boolean {
    for (const target of this.#captures.keys())
      if (collected.get(target)?.truncated && !this.#discarding.has(target)) return true;
    return false;
  }

  /** Closes the captures without reading them. */
  drop(reported?: readonly ReportedOutput[]): void {
    closeReported(reported);
    for (const reader of this.#captures.values()) reader.close();
    this.#descriptors.native.closeFds([...this.#collecting.values()].map(({ fd }) => fd));
    this.#collecting.clear();
    this.#endStreams();
  }

  /** A program can leave its descriptor where no process has it, or give it to one that lives on. */
  #endStreams(): void {
    for (const output of this.streams.values()) output.endSoon();
  }

  closeStreams(): void {
    for (const output of this.streams.values()) output.destroy();
  }

  #openCapture(target: number, maxBytes: number | null, discard: boolean): void {
    this.#capture(
      target,
      this.#descriptors.addPipe(target, true, FD_HOLD),
      maxBytes,
      discard ? null : undefined,
    );
  }

  /** `onFull`: what is done when there is more; `null` for nothing. Default: it ends the program. */
  #capture(target: number, fd: number, maxBytes: number | null, onFull?: (() => void) | null): void {
    const { onOverflow, onData } = this.#options;
    const limitBytes = maxBytes ?? CAPTURE_UNBOUNDED;
    if (onFull !== undefined) this.#discarding.add(target);
    const handlers = {
      limitBytes,
      onData: onData(target),
      onOverflow: onFull === undefined ? onOverflow : (onFull ?? undefined),
    };
    this.#captures.set(target, new this.#descriptors.native.Reader(fd, handlers));
  }

  /** `early`: before the work folder is filled; then a folder that is missing may still come. */
  #openFile(target: number, spec: FileOutput, early: boolean): void {
    const { native, owner } = this.#options.folder;
    const { file, mode, collect } = spec;
    const made = collect === undefined ? null : this.#addInitFile(target, spec as CollectedFile);
    if (made !== null) return this.#descriptors.addMadeByInit(target, FD_OUTPUT, made);
    if (this.#options.folder.isLiving()) return this.#wait(this.#openFileBeside(target, spec, early));
    const opened = inTree<OpenedOutput>(this.#options.folder, file, (dir, path) =>
      native.openOutput({ dir, path, mode, owner, collect: collect !== undefined }),
    );
    this.#addFile(target, spec, { opened, early });
  }

  async #openFileBeside(target: number, spec: FileOutput, early: boolean): Promise<void> {
    const { native, owner } = this.#options.folder;
    const { file, mode, collect } = spec;
    const opened = await inTreeBeside<OpenedOutput>(this.#options.folder, file, (dir, path, later) =>
      native.openOutput({ dir, path, mode, owner, collect: collect !== undefined, later }),
    );
    this.#addFile(target, spec, { opened, early });
  }

  #addFile(
    target: number,
    spec: FileOutput,
    { opened, early }: { opened: OpenedOutput; early: boolean },
  ): void {
    const { file, collect } = spec;
    if (early && opened === ENOENT) return void this.#postponed.push([target, spec]);
    if (typeof opened === 'number' && opened < 0) {
      throw new FileAccessError({ operation: 'write', path: file, errno: -opened, ...notRegular(-opened) });
    }
    const [write, read] = typeof opened === 'number' ? [opened] : opened;
    this.#descriptors.add(target, write, '');
    if (collect !== undefined) this.#collecting.set(target, { fd: read!, want: collect });
  }

  #addInitFile(target: number, spec: CollectedFile): number | null {
    this.initFiles ??= new InitFiles(this.#options);
    return this.initFiles.add(target, spec);
  }

  #tryShare(target: number, other: number): void {
    if (!this.#descriptors.has(other) || target === other) return;
    this.#descriptors.addAlias(target, other);
    this.#shared.delete(target);
  }

  #readCollected(
    fd: number,
    { maxBytes, as }: NonNullable<FileOutput['collect']>,
    budget: CopyOutBudget,
  ): Output {
    const { native } = this.#descriptors;
    if (as === 'fd') {
      const status = fstatSync(fd);
      const kept = budget.chargeOpenFile(status, maxBytes, 0) ? maxBytes : 0;
      return new Output(NO_BYTES, status.size, { fd: native.giveAway(fd), maxBytes: kept });
    }
    const taken = native.takeFile(fd, Math.min(maxBytes, budget.leftBytes));
    if (typeof taken === 'number') throw hostError('read a file that it holds', taken);
    const [bytes, , sizeBytes] = taken;
    budget.chargeOutput(bytes.byteLength);
    return new Output(bytes, sizeBytes);
  }
}

function sharesNothing(shared: ReadonlyMap<number, number>): InvalidOptionsError {
  const [[target, other]] = [...shared] as [[number, number]];
  const name =
    ['options.stdin', 'options.stdout', 'options.stderr'][target] ?? `options.fds[${target}].output`;
  return new InvalidOptionsError({
    field: `${name}.sameAs`,
    rule: 'conflict',
    expected: 'must be another descriptor that the program has',
    got: `${other}`,
  });
}
