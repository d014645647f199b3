/**
 * A new file from bytes as they come, written in large pieces while the next are on their way. A stream of Node's has an event and a
 * turn of the loop for each 64 KiB, which cost more than the bytes.
 */
import { type FileHandle, open } from 'node:fs/promises';

const NEW_MODE = 0o644;
/** Of one write. */
const PIECE_BYTES = 512 * 1024;

/** `admit` sees each chunk before it is written, and ends it all by throwing. */
export async function writeNewFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  admit: (chunk: Uint8Array) => void,
): Promise<void> {
  const file = await open(path, 'wx', NEW_MODE);
  let writing: Promise<void> = Promise.resolve();
  try {
    let pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of source) {
      admit(piece);
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes < PIECE_BYTES) continue;
      await writing;
      writing = writeAll(file, pieces);
      writing.catch(() => undefined); // awaited below or with the next
      pieces = [];
      bytes = 0;
    }
    await writing;
    await writeAll(file, pieces);
  } finally {
    await writing.catch(() => undefined); // its descriptor is in use until then
    await file.close();
  }
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  if (pieces.length === 0) return;
  const wanted = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === wanted) return;
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  for (let at = 0; at < rest.byteLength; ) at += (await file.write(rest, at)).bytesWritten;
}
