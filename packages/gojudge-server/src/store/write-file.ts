/**
 * A new file from bytes as they come, written in large chunks while the next are on their way. A stream of
 * Node's has an event and a turn of the loop for each 64 KiB, which cost more than the bytes.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ByteChunks } from '@sbx/serving';

const NEW_MODE = 0o644;
/** Of one write. */
const CHUNK_BYTES = 512 * 1024;

/** `admit` sees each chunk before it is written, and ends it all by throwing. */
export async function writeNewFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  admit: (chunk: Uint8Array) => void,
): Promise<void> {
  const file = await open(path, 'wx', NEW_MODE);
  let writing: Promise<void> = Promise.resolve();
  try {
    const chunks = new ByteChunks();
    for await (const chunk of source) {
      admit(chunk);
      chunks.add(chunk);
      if (chunks.bytes < CHUNK_BYTES) continue;
      await writing;
      writing = writeAll(file, chunks.take());
      writing.catch(() => undefined); // awaited below or with the next
    }
    await writing;
    await writeAll(file, chunks.take());
  } finally {
    await writing.catch(() => undefined); // its descriptor is in use until then
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  if (chunks.length === 0) return;
  const wanted = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten === wanted) return;
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let at = 0; at < rest.byteLength; ) at += (await file.write(rest, at)).bytesWritten;
}
