/** Files with holes: what they cost, and copies that cost no more. */
import { ftruncateSync, type Stats, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { readPart } from './read-fd.js';

const BLOCK_BYTES = 512;
const PAGE_BYTES = 4096;
const ZEROS = new Uint8Array(PAGE_BYTES);
const NEW_MODE = 0o644;

/** Memory or disk behind a file. */
export function allocatedBytes({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number {
  return Math.min(size, blocks * BLOCK_BYTES);
}

/** A last page that is not full is no hole. */
export function isSparse(status: Pick<Stats, 'size' | 'blocks'>): boolean {
  return status.blocks * BLOCK_BYTES < status.size;
}

/** The first bytes of a file to a new one, in which pages of zeros are holes. */
export async function copyWithHoles(fd: number, path: string, size: number): Promise<void> {
  const to = await open(path, 'wx', NEW_MODE);
  try {
    let at = 0;
    for await (const chunk of readPart(fd, 0, size)) {
      for (const [from, end] of dataIn(chunk)) writeAll(to.fd, chunk.subarray(from, end), at + from);
      at += chunk.byteLength;
    }
    ftruncateSync(to.fd, at);
  } finally {
    await to.close();
  }
}

/** Runs of pages with something in them. */
export function* dataIn(chunk: Uint8Array): Generator<[from: number, end: number], void> {
  let from = -1;
  for (let at = 0; at < chunk.byteLength; at += PAGE_BYTES) {
    const end = Math.min(at + PAGE_BYTES, chunk.byteLength);
    const isHole = Buffer.compare(chunk.subarray(at, end), ZEROS.subarray(0, end - at)) === 0;
    if (!isHole && from < 0) from = at;
    if (isHole && from >= 0) {
      yield [from, at];
      from = -1;
    }
  }
  if (from >= 0) yield [from, chunk.byteLength];
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.byteLength; ) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done, at + done);
  }
}
