/** Files out of a sandbox, after every process of the program has ended. */
import { fstatSync } from 'node:fs';
import { errnoName } from '../errno.js';
import { EINVAL } from '../native/errno.js';
import type { FileRead } from '../native/native.js';
import { textOf } from '../streams/text.js';
import type { CopyOut, FileError, OutputFile } from '../types/files.js';
import { type CopyOutBudget, NO_BOUND } from './copy-out-budget.js';
import { inTree, type WorkFolder } from './trees.js';

const COPY_OUT_BYTES_MAX = 64 * 2 ** 20;
const NO_BYTES = new Uint8Array(0);

export interface CopiedOut {
  /** Without a prototype: names come from outside, and `toString` is none that was taken. */
  files: Record<string, OutputFile>;
  errors: FileError[];
}

/** No files, and no names that every object has. */
export function noFiles(): CopiedOut {
  return { files: Object.create(null), errors: [] };
}

type Wanted = Exclude<CopyOut, string>;
type Bounded = Wanted & Required<Pick<Wanted, 'maxBytes'>>;

/**
 * Takes files out; what cannot be taken is an entry of `errors`. Every process of the sandbox must be dead.
 */
export function copyOut(
  folder: WorkFolder,
  wanted: readonly CopyOut[],
  maxBytes: number = COPY_OUT_BYTES_MAX,
  budget: CopyOutBudget = NO_BOUND,
): CopiedOut {
  const copied = noFiles();
  try {
    for (const entry of wanted) {
      const { maxBytes: ownMaxBytes = maxBytes, ...want }: Wanted =
        typeof entry === 'string' ? { path: entry } : entry;
      take(folder, { maxBytes: ownMaxBytes, ...want }, copied, budget);
    }
    return copied;
  } catch (error) {
    closeFiles(folder, Object.values(copied.files));
    throw error;
  }
}

/** The result owns a descriptor from here on; one of two entries for one path is closed. */
function take(folder: WorkFolder, want: Bounded, { files, errors }: CopiedOut, budget: CopyOutBudget): void {
  const { path, maxBytes, optional = false } = want;
  const taken = want.as === 'fd' ? hold(folder, want, budget) : read(folder, want, budget);
  if (typeof taken === 'number') {
    const name = errnoName(-taken);
    if (optional !== 'any' && !(optional && name === 'ENOENT')) errors.push(openError(path, -taken, name));
    return;
  }
  const { file, isWhole } = taken;
  if (!isWhole) errors.push(tooLarge(file, maxBytes));
  const hasBeginning = want.truncate === true && (want.as !== 'fd' || file.fd !== null);
  if (!isWhole && !hasBeginning) return;
  const before = files[path];
  if (before !== undefined) closeFiles(folder, [before]);
  files[path] = file;
}

function closeFiles({ native }: WorkFolder, files: readonly OutputFile[]): void {
  native.closeFds(files.flatMap(({ fd }) => (fd === null ? [] : [fd])));
}

/** `isWhole`: it was within its own bound, and that of all files. */
interface CopiedFile {
  file: TakenFile;
  isWhole: boolean;
}

/** Of one that is too large nothing is read, unless its beginning is wanted. */
function read(folder: WorkFolder, want: Bounded, budget: CopyOutBudget): CopiedFile | number {
  const { native } = folder;
  const { path, truncate } = want;
  const maxBytes = Math.min(want.maxBytes, budget.leftBytes);
  const got = inTree(folder, path, (dir, below, known) =>
    native.readFileBeneath({ dir, path: below, maxBytes, truncate, known }),
  );
  if (typeof got === 'number') return got;
  const file = new TakenFile(path, got, null);
  budget.chargeFile(file.bytes.byteLength);
  return { file, isWhole: file.sizeBytes <= maxBytes };
}

function hold(folder: WorkFolder, want: Bounded, budget: CopyOutBudget): CopiedFile | number {
  const { native } = folder;
  const { path, maxBytes, truncate } = want;
  const fd = inTree(folder, path, (dir, below, known) =>
    native.openBeneath({ dir, path: below, flags: 0, known }),
  );
  if (fd < 0) return fd;
  let isGiven = false;
  try {
    const status = fstatSync(fd);
    if (!status.isFile()) return EINVAL;
    const fits = status.size <= maxBytes;
    const isWanted = (fits || truncate === true) && budget.chargeOpenFile(status, maxBytes);
    if (isWanted) native.giveAway(fd);
    isGiven = isWanted;
    const file = new TakenFile(path, [NO_BYTES, status.mode & 0o7777, status.size], isWanted ? fd : null);
    return { file, isWhole: fits && isWanted };
  } finally {
    if (!isGiven) native.closeFds([fd]);
  }
}

class TakenFile implements OutputFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly fd: number | null;

  constructor(path: string, [bytes, mode, sizeBytes]: FileRead, fd: number | null) {
    this.path = path;
    this.bytes = bytes;
    this.mode = mode;
    this.sizeBytes = sizeBytes;
    this.fd = fd;
  }

  text(): string {
    return textOf(this.bytes);
  }

  /** Sizes only: it may be large, binary or not meant for logs. */
  toJSON(): { path: string; mode: number; sizeBytes: number; keptBytes: number } {
    const { path, mode, sizeBytes, bytes } = this;
    return { path, mode, sizeBytes, keptBytes: bytes.byteLength };
  }
}

/** errno of the open or read → why. What is not here is `io`. */
const REASONS: Readonly<Record<string, [FileError['code'], string]>> = {
  ENOENT: ['not-found', 'was not made'],
  ENOTDIR: ['not-found', 'a part of its path is not a folder'],
  EISDIR: ['not-regular', 'is a folder, not a regular file'],
  EINVAL: ['not-regular', 'is not a regular file'],
  ENXIO: ['not-regular', 'is a socket or a pipe, not a regular file'],
  ENODEV: ['not-regular', 'is a device, not a regular file'],
  ELOOP: ['not-regular', 'is a symbolic link, or lies behind too many'],
  EXDEV: ['outside', 'lies outside of what the sandbox can write to'],
  EACCES: ['denied', 'may not be read'],
  EPERM: ['denied', 'may not be read'],
};

function openError(path: string, errno: number, name: string): FileError {
  const [code, text] = REASONS[name] ?? ['io', `could not be read: ${name}`];
  return { path, code, message: `${path} ${text}`, errno };
}

function tooLarge({ path, sizeBytes }: TakenFile, maxBytes: number): FileError {
  const message =
    sizeBytes > maxBytes
      ? `${path} is larger than ${maxBytes} bytes`
      : `${path} is larger than what is left of copyOutTotalBytes`;
  return { path, code: 'too-large', message, sizeBytes };
}
