/** Bytes as they come → text that is whole by itself. */
export function textSink(take: (text: string) => void): { take(chunk: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const give = (text: string) => {
    if (text !== '') take(text);
  };
  return {
    take: (chunk) => give(decoder.decode(chunk, { stream: true })),
    end: () => give(decoder.decode()),
  };
}

/** The same for a stream. */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
