/**
 * Output files created by init. (Input files: see `Inputs.contents`.) The start message names them by number
 * of tree and path, no program has been in the sandbox before, and their contents come with the report of the
 * end: none of them is ever open here, unless it is large.
 */
import { FileAccessError } from '../../errors.js';
import { copyOut } from '../../files/copy-out.js';
import type { CopyOutBudget } from '../../files/copy-out-budget.js';
import { notRegular } from '../../files/refusals.js';
import { meets, placeInTrees, type WorkFolder } from '../../files/trees.js';
import { type FailedMessage, loadNative, type ReportedOutput } from '../../native/native.js';
import { OUTPUTS_MAX } from '../../native/tables.js';
import { EMPTY_OUTPUT, Output } from '../../streams/output.js';
import type { RunOptions } from '../../types/program.js';
import type { FileOutput } from '../../types/stdio.js';

/** An output file whose content is collected. */
export type CollectedFile = FileOutput & Required<Pick<FileOutput, 'collect'>>;

export interface InitFilesOptions {
  folder: WorkFolder;
  /**
   * Init can make files for it to write to: nobody else is or has been in the sandbox, and none starts
   * together with it, which is not to be begun when a path of another is bad.
   */
  makesOutputs: boolean;
  /** Files that are copied in before the start. */
  files: RunOptions['files'];
}

const MODE = 0o644;

export class InitFiles {
  /** As a start message has them. */
  readonly rows: number[] = [];
  readonly paths: string[] = [];
  readonly #options: InitFilesOptions;
  readonly #wanted: [target: number, spec: CollectedFile][] = [];

  constructor(options: InitFilesOptions) {
    this.#options = options;
  }

  /**
   * Its index among the files created by init; `null` for one that the host creates, since other files may
   * be, or come, in its way.
   */
  add(target: number, spec: CollectedFile): number | null {
    const { folder, makesOutputs, files } = this.#options;
    const { file, mode = MODE, collect } = spec;
    if (!makesOutputs || this.paths.length === OUTPUTS_MAX) return null;
    if (files !== undefined && Object.keys(files).some((path) => meets(folder, path, file))) return null;
    const located = placeInTrees(folder, file);
    if (located === null) return null;
    const [tree, path] = located;
    this.rows.push(tree, mode, collect.as === 'fd' ? 1 : 0);
    this.paths.push(path);
    return this.#wanted.push([target, spec]) - 1;
  }

  /**
   * The collected outputs, by descriptor of the program. `read`: reads one that is open. `reported`: by init,
   * if it could.
   */
  collect(
    reported: ReportedOutput[] | undefined,
    budget: CopyOutBudget,
    read: (fd: number, want: CollectedFile['collect']) => Output,
  ): [target: number, output: Output][] {
    return this.#wanted.map(([target, spec], index) => {
      const told = reported?.[index];
      if (told === undefined) return [target, this.#find(spec, budget)];
      reported![index] = null; // its reader closes it
      if (typeof told === 'number') return [target, read(told, spec.collect)];
      return [target, told === null ? EMPTY_OUTPUT : cut(told, spec.collect.maxBytes, budget)];
    });
  }

  /** Why one cannot be written to, when that is what failed. */
  error({ stage, index, errno }: FailedMessage): FileAccessError | null {
    const wanted = stage === 'output' ? this.#wanted[index] : undefined;
    if (wanted === undefined) return null;
    const [, { file }] = wanted;
    return new FileAccessError({ operation: 'write', path: file, errno, ...notRegular(errno) });
  }

  /** Init died before it could report: reads the file that has that name now. */
  #find({ file, collect: { maxBytes, as } }: CollectedFile, budget: CopyOutBudget): Output {
    const { folder } = this.#options;
    if (!isOpen(folder)) return EMPTY_OUTPUT;
    const wanted = { path: file, maxBytes, truncate: true, optional: 'any', as } as const;
    const found = copyOut(folder, [wanted], maxBytes, budget).files[file];
    if (found === undefined) return EMPTY_OUTPUT;
    const { bytes, sizeBytes, fd } = found;
    return new Output(bytes, sizeBytes, fd === null ? null : { fd, maxBytes });
  }
}

function isOpen(folder: WorkFolder): boolean {
  try {
    folder.checkOpen();
    return true;
  } catch {
    return false;
  }
}

function cut(bytes: Uint8Array, wantedBytes: number, budget: CopyOutBudget): Output {
  const maxBytes = Math.min(wantedBytes, budget.leftBytes);
  budget.chargeOutput(Math.min(bytes.byteLength, maxBytes));
  return bytes.byteLength <= maxBytes
    ? new Output(bytes)
    : new Output(bytes.subarray(0, maxBytes), bytes.byteLength);
}

/** Closes the descriptors of a report that is not used. */
export function closeReported(reported: readonly ReportedOutput[] | undefined): void {
  if (reported === undefined) return;
  loadNative().native.closeFds(reported.filter((told) => typeof told === 'number'));
}
