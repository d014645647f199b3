/** Colours and tables for people. stdout is data, stderr is talk. */
import { styleText } from 'node:util';

export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';
export type Paint = (colour: Colour, text: string) => string;

/** Whether `stream` is a terminal that understands escapes. */
export function takesEscapes(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/**
 * Whether to colour what goes to `stream`: FORCE_COLOR and NO_COLOR decide (no-color.org), else a terminal
 * does.
 */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '')
    return !['0', 'false'].includes(env.FORCE_COLOR);
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return takesEscapes(stream, env);
}

/** Paints for a stream, or does nothing where colours are not wanted. */
export function painterFor(stream: { isTTY?: boolean }): Paint {
  if (!wantsColour(stream)) return (_colour, text) => text;
  // Newer Node looks at stdout by itself when not told; the choice has been made above.
  return (colour, text) => styleText(colour, text, { validateStream: false });
}

/**
 * Rows as columns two blanks apart; a colour may be given per cell, so that escapes do not count as width.
 */
export type Cell = string | { text: string; colour: Colour };

export function formatTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  const all = [head.map((text): Cell => ({ text, colour: 'bold' })), ...rows];
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, [...textOf(row[column])].length), 0),
  );
  return all.map((row) => `${formatRow(row, widths, paint)}\n`).join('');
}

function formatRow(row: readonly Cell[], widths: readonly number[], paint: Paint): string {
  return row
    .map((cell, column) => {
      const text = textOf(cell);
      const isLast = column === row.length - 1;
      const blanks = isLast ? '' : ' '.repeat(widths[column]! - [...text].length + 2);
      return (typeof cell === 'string' ? text : paint(cell.colour, text)) + blanks;
    })
    .join('')
    .trimEnd();
}

/** What a terminal would obey, and what ends a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** For a line that has names of files or words of other machines in it: a terminal obeys nothing of them. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u{${control.codePointAt(0)!.toString(16)}}`);
}

/** As `printable`, of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function textOf(cell: Cell | undefined): string {
  return printable(typeof cell === 'string' ? cell : (cell?.text ?? ''));
}

/** One JSON object on stdout. */
export function printJson(value: object): void {
  process.stdout.write(`${jsonOf(value)}\n`);
}

/** As JSON of several lines; in its strings nothing that a terminal would obey stands as it is. */
export function jsonOf(value: object): string {
  const json = JSON.stringify(value, null, 2);
  return json.replace(CONTROLS, (control) => (control === '\n' ? control : escapedJson(control)));
}

/** By units of UTF-16, as JSON has it. */
function escapedJson(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A line of talk, whosever words are in it. */
export function say(text: string): void {
  sayPainted(printable(text));
}

/** As `say`, with colours: what others have said must have been made `printable`. */
export function sayPainted(text: string): void {
  process.stderr.write(`sbx: ${text}\n`);
}
