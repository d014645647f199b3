/** Files out of a sandbox, after every process of the program has ended. */
import { fstatSync } from 'node:fs';
import { errnoName } from '../errno.js';
import { EINVAL } from '../native-errno.js';
import type { CopyOut, FileError, OutputFile } from '../types.js';
import { inTree, type WorkFolder } from './trees.js';

const COPY_OUT_BYTES_MAX = 64 * 2 ** 20;
const NO_BYTES = new Uint8Array(0);

export interface CopiedOut {
  files: Record<string, OutputFile>;
  errors: FileError[];
}

type Wanted = Exclude<CopyOut, string>;

/** Takes files out; what cannot be taken is an entry of `errors`. Every process of the sandbox must be dead. */
export function copyOut(
  folder: WorkFolder,
  wanted: readonly CopyOut[],
  maxBytes: number = COPY_OUT_BYTES_MAX,
): CopiedOut {
  const files: [path: string, file: OutputFile][] = [];
  const errors: FileError[] = [];
  for (const entry of wanted) {
    const want: Wanted = typeof entry === 'string' ? { path: entry } : entry;
    const { path, maxBytes: bound = maxBytes, optional = false } = want;
    const taken = want.as === 'fd' ? hold(folder, want, bound) : read(folder, want, bound);
    if (typeof taken === 'number') {
      const name = errnoName(-taken);
      if (optional !== 'any' && !(optional && name === 'ENOENT')) errors.push(openError(path, -taken, name));
      continue;
    }
    if (taken.sizeBytes > bound) errors.push(tooLarge(taken, bound));
    if (taken.sizeBytes <= bound || want.truncate) files.push([path, taken]);
  }
  return { files: Object.fromEntries(files), errors }; // not by assignment, which `__proto__` does not take
}

/** Of one that is too large nothing is read, unless its beginning is wanted. */
function read(folder: WorkFolder, { path, truncate }: Wanted, maxBytes: number): TakenFile | number {
  const { native } = folder;
  const got = inTree(folder, path, (dir, below) =>
    native.readFileBeneath({ dir, path: below, maxBytes, truncate }),
  );
  if (typeof got === 'number') return got;
  return new TakenFile(path, ...got, null);
}

function hold(folder: WorkFolder, { path, truncate }: Wanted, maxBytes: number): TakenFile | number {
  const { native } = folder;
  const fd = inTree(folder, path, (dir, below) => native.openBeneath({ dir, path: below, flags: 0 }));
  if (fd < 0) return fd;
  const status = fstatSync(fd);
  const wanted = status.isFile() && (status.size <= maxBytes || truncate === true);
  if (wanted) native.giveAway(fd);
  else native.closeFds([fd]);
  if (!status.isFile()) return EINVAL;
  return new TakenFile(path, NO_BYTES, status.mode & 0o7777, status.size, wanted ? fd : null);
}

class TakenFile implements OutputFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly fd: number | null;

  constructor(path: string, bytes: Uint8Array, mode: number, sizeBytes: number, fd: number | null) {
    this.path = path;
    this.bytes = bytes;
    this.mode = mode;
    this.sizeBytes = sizeBytes;
    this.fd = fd;
  }

  text(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString('utf8');
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
  return { path, code: 'too-large', message: `${path} is larger than ${maxBytes} bytes`, sizeBytes };
}
