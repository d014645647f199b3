/** Files into the work folder before a program starts, and out of it after every process has ended. */
import { errnoName } from '../errno.js';
import { FileAccessError } from '../errors.js';
import type { Native } from '../native.js';
import { checkWorkPath } from '../options/paths.js';
import type { CopyOut, FileError, FileInput, OutputFile } from '../types.js';
import { contentBytes, immediateBytes } from './host-input.js';

/** A work folder by descriptor. `owner`: host id that new files belong to, -1 for our own. */
export interface WorkFolder {
  native: Native;
  fd: number;
  owner: number;
}

const COPY_OUT_BYTES_MAX = 64 * 2 ** 20;

type Files = Readonly<Record<string, FileInput | string | Uint8Array>>;

/** Writes files, making folders on the way. Returns a promise only when something of the host must be read. */
export function copyIn(folder: WorkFolder, files: Files): Promise<void> | undefined {
  const entries = Object.entries(files);
  for (const [index, [path, input]] of entries.entries()) {
    const bytes = immediateBytes(input);
    if (bytes === null) return copyRest(folder, entries.slice(index));
    writeInto(folder, path, bytes, modeOf(input));
  }
  return undefined;
}

async function copyRest(
  folder: WorkFolder,
  entries: [string, FileInput | string | Uint8Array][],
): Promise<void> {
  for (const [path, input] of entries) writeInto(folder, path, await contentBytes(input), modeOf(input));
}

/** Writes one file, following no link. Throws `FileAccessError`. */
export function writeInto(
  folder: WorkFolder,
  path: string,
  bytes: Uint8Array,
  mode: number,
  follow = false,
): void {
  const { native, fd, owner } = folder;
  const written = native.writeFileBeneath({
    dir: fd,
    path: checkWorkPath(path),
    bytes,
    mode,
    owner,
    parents: true,
    follow,
  });
  if (written < 0) throw new FileAccessError({ operation: 'copy-in', path, errno: -written });
}

/** Mode of a new file. */
export function modeOf(input: FileInput | string | Uint8Array): number {
  if (typeof input === 'string' || input instanceof Uint8Array) return 0o644;
  return input.mode ?? (input.executable ? 0o755 : 0o644);
}

export interface CopiedOut {
  files: Record<string, OutputFile>;
  errors: FileError[];
}

/** Takes files out; what cannot be taken is an entry of `errors`. Every process of the sandbox must be dead. */
export function copyOut(
  folder: WorkFolder,
  wanted: readonly CopyOut[],
  maxBytes: number = COPY_OUT_BYTES_MAX,
): CopiedOut {
  const files: Record<string, OutputFile> = {};
  const errors: FileError[] = [];
  for (const entry of wanted) {
    const {
      path,
      optional = false,
      maxBytes: own = maxBytes,
    } = typeof entry === 'string' ? { path: entry } : entry;
    const got = folder.native.readFileBeneath({ dir: folder.fd, path: checkWorkPath(path), maxBytes: own });
    if (typeof got !== 'number') files[path] = new TakenFile(path, got[0].subarray(0, got[2]), got[1]);
    else if (!(optional && errnoName(-got) === 'ENOENT')) errors.push(fileError(path, errnoName(-got), own));
  }
  return { files, errors };
}

class TakenFile implements OutputFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  constructor(path: string, bytes: Uint8Array, mode: number) {
    this.path = path;
    this.bytes = bytes;
    this.mode = mode;
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
  ELOOP: ['not-regular', 'is a symbolic link or lies behind one'],
  EXDEV: ['outside', 'lies outside of the work folder'],
  EACCES: ['denied', 'may not be read'],
  EPERM: ['denied', 'may not be read'],
};

function fileError(path: string, errno: string, maxBytes: number): FileError {
  if (errno === 'EFBIG')
    return { path, code: 'too-large', message: `${path} is larger than ${maxBytes} bytes` };
  const [code, text] = REASONS[errno] ?? ['io', `could not be read: ${errno}`];
  return { path, code, message: `${path} ${text}` };
}
