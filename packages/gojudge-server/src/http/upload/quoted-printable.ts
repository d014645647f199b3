/** A line at a time: soft breaks joined, `=XX` decoded, blanks at the end of a line cut. */
export async function* decodeQuotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of source) {
    rest += Buffer.from(chunk).toString('latin1');
    const end = rest.lastIndexOf('\n') + 1;
    if (end > 0) yield decodeLines(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '') yield decodeLines(rest);
}

function decodeLines(text: string): Uint8Array {
  const joined = text
    .replace(/[ \t]+(?=\r?\n)/g, '')
    .replace(/=\r?\n/g, '')
    .replace(/=$/, '');
  return Buffer.from(
    joined.replace(/=([0-9A-Fa-f]{2})/g, (_match, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    'latin1',
  );
}
