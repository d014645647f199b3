/**
 * Copies of the chosen files as a tree, each compared with its checksum while it is copied: what is shown is
 * what was compared.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidOptionsError } from '../errors.js';
import type { Checksum, Entry } from './select.js';

/** An entry of a tree that is not a file of the host: a point to mount on, a link, a text. */
export type SandboxLease =
  | { kind: 'folder'; path: string }
  | { kind: 'text'; path: string; text: string; mode: number }
  | { kind: 'link'; path: string; to: string };

const CHUNK_BYTES = 2 ** 20;
/** As many as Node's pool has threads. */
const COPIES_AT_ONCE = 4;

/** Throws `InvalidOptionsError` that names a file which is not as it should be. */
export async function writeTree(
  folder: string,
  entries: readonly Entry[],
  places: readonly SandboxLease[],
): Promise<void> {
  const folders = new Set([...entries.map(({ path }) => dirname(path)), ...places.map(folderOf)]);
  for (const one of folders) await mkdir(join(folder, one), { recursive: true, mode: 0o755 });
  const rest = entries.values();
  const buffers = Array.from({ length: COPIES_AT_ONCE }, () => Buffer.allocUnsafe(CHUNK_BYTES));
  // All are waited for: after a failure the tree is removed, and nobody may still be writing there.
  const done = await Promise.allSettled(
    buffers.map(async (buffer) => {
      for (const entry of rest) await writeEntry(folder, entry, buffer);
    }),
  );
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  for (const lease of places) await writePlace(folder, lease);
}

function folderOf(lease: SandboxLease): string {
  return lease.kind === 'folder' ? lease.path : dirname(lease.path);
}

async function writeEntry(folder: string, entry: Entry, buffer: Buffer): Promise<void> {
  const target = join(folder, entry.path);
  if (entry.kind === 'link') return symlink(entry.to, target);
  await using from = await open(entry.path, constants.O_RDONLY | constants.O_NOFOLLOW);
  await using to = await open(target, 'wx', entry.mode);
  const sum = await copy(from, to, buffer, entry.sum);
  if (sum !== null && sum !== entry.sum!.hex) throw changed(entry.path, entry.sum!, sum);
  await to.chmod(entry.mode); // whatever the umask
  // Python compares the time of a source with its byte code's.
  await to.utimes(new Date(), new Date(entry.mtimeMs));
}

async function copy(
  from: FileHandle,
  to: FileHandle,
  buffer: Buffer,
  sum: Checksum | null,
): Promise<string | null> {
  const hash = sum === null ? null : createHash(sum.algorithm);
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return hash?.digest('hex') ?? null;
    const chunk = buffer.subarray(0, bytesRead);
    hash?.update(chunk);
    for (let at = 0; at < bytesRead; ) at += (await to.write(chunk, at)).bytesWritten;
  }
}

async function writePlace(folder: string, lease: SandboxLease): Promise<void> {
  const target = join(folder, lease.path);
  if (lease.kind === 'folder') return;
  if (lease.kind === 'link') return symlink(lease.to, target);
  await using file = await open(target, 'w', lease.mode);
  await file.writeFile(lease.text);
  await file.chmod(lease.mode);
}

/** A file system that is mounted `noexec` says so of every file. */
export async function isExecutableIn(folder: string): Promise<boolean> {
  const path = join(folder, 'probe');
  await using file = await open(path, 'wx', 0o700);
  await file.chmod(0o700);
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function changed(path: string, { algorithm, hex, by }: Checksum, found: string): InvalidOptionsError {
  return new InvalidOptionsError({
    field: 'options.root',
    rule: 'conflict',
    expected: 'must be made of files that are as they were brought',
    got: path,
    hint: `Its ${algorithm.toUpperCase()} is ${found}, and ${by} says ${hex}. Find out who changed it; then reinstall it.`,
  });
}
