import { MultipartError } from './multipart-parts.js';

/** Of a line whose end has not come. go-judge refuses lines that are longer than that, of whatever. */
const HELD_LENGTH_MAX = 4096;
const CR = 0x0d;
const EQUALS = 0x3d;

/**
 * Soft breaks joined, `=XX` decoded, blanks at the end of a line cut. Throws `MultipartError` for more blanks
 * in a row than may be held until it is known what follows them.
 */
export async function* decodeQuotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of source) {
    const text = rest + Buffer.from(chunk).toString('latin1');
    const end = decodableEnd(text);
    if (end > 0) yield decodeLines(text.slice(0, end));
    rest = text.slice(end);
    if (rest.length > HELD_LENGTH_MAX) {
      throw new MultipartError(`quoted-printable: more than ${HELD_LENGTH_MAX} blanks in a row`);
    }
  }
  if (rest !== '') yield decodeLines(rest);
}

/** Whole lines; of a long one also what does not depend on what comes next. */
function decodableEnd(text: string): number {
  const lineEnd = text.lastIndexOf('\n') + 1;
  if (text.length - lineEnd <= HELD_LENGTH_MAX) return lineEnd;
  let end = text.length;
  if (text.charCodeAt(end - 1) === CR) end -= 1;
  while (end > lineEnd && isBlank(text[end - 1])) end -= 1;
  if (text.charCodeAt(end - 1) === EQUALS) return end - 1;
  return end === text.length && text.charCodeAt(end - 2) === EQUALS ? end - 2 : end;
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
  while (end > 0 && isBlank(line[end - 1])) end -= 1;
  return line.slice(0, end) + ending;
}

function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\t';
}
