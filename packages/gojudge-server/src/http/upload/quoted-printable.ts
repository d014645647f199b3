/** A line at a time: soft breaks joined, `=XX` decoded, blanks at the end of a line cut. */
export async function* decodeQuotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of source) {
    const text = Buffer.from(chunk).toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield decodeLines(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  }
  if (rest !== '') yield decodeLines(rest);
}

function decodeLines(text: string): Uint8Array {
  const joined = withoutBlanks(text)
    .replace(/=\r?\n/g, '')
    .replace(/=$/, '');
  return Buffer.from(
    joined.replace(/=([0-9A-Fa-f]{2})/g, (_match, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    'latin1',
  );
}

/**
 * Without those at the ends of lines. No expression: one would look through a row of blanks again from each
 * of them.
 */
function withoutBlanks(text: string): string {
  const lines = text.split('\n');
  const last = lines.pop()!; // no line feed follows it
  return [...lines.map(trimmed), last].join('\n');
}

function trimmed(line: string): string {
  const ending = line.endsWith('\r') ? '\r' : '';
  let end = line.length - ending.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end) + ending;
}
