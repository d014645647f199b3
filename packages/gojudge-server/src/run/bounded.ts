/** Collects the beginning of a stream and reads the rest away, so that the writer neither waits nor dies of it. */
export async function collectBounded(
  source: AsyncIterable<Uint8Array>,
  keepBytes: number,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let room = Math.max(0, keepBytes);
  for await (const chunk of source) {
    if (room === 0) continue;
    const part = chunk.subarray(0, room);
    kept.push(part);
    room -= part.byteLength;
  }
  return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
}
