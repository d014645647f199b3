/** Bytes that come in chunks, as lines of text. */

const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

/** An output that its reader gives back. */
export interface LineSource {
  /** `null`: nothing more. */
  next(): Promise<Uint8Array | null>;
  /** Gives it back, with what follows the last line that was taken. */
  giveBack(rest: Uint8Array): void;
  /** The text of a line, which mostly came in one chunk. */
  textOf(chunks: readonly Uint8Array[]): string;
  /** Throws when a line that is not over has become too long. */
  checkLength?(byteLength: number): void;
}

/** Lines without their line feeds. */
export async function* linesOf(source: LineSource): AsyncGenerator<string, void, undefined> {
  let line: Uint8Array[] = [];
  let byteLength = 0;
  let rest: Uint8Array = NOTHING;
  const add = (bytes: Uint8Array) => {
    byteLength += bytes.byteLength;
    source.checkLength?.(byteLength);
    if (bytes.byteLength > 0) line.push(bytes);
  };
  const take = () => {
    const chunks = line;
    line = [];
    byteLength = 0;
    return source.textOf(chunks);
  };
  try {
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) {
      rest = chunk;
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
        add(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        yield take();
      }
      add(rest);
      rest = NOTHING;
    }
    if (byteLength > 0) yield take();
  } finally {
    source.giveBack(rest);
  }
}
