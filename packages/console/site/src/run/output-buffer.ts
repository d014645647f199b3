/**
 * Output as it is shown: its end, in pieces of text with classes. Whatever a program prints, the page holds a
 * bounded number of both.
 */
import Anser from 'anser';
import { visible } from './visible.js';

export type OutputStream = 'stdout' | 'stderr' | 'compiler';

export interface Segment {
  stream: OutputStream;
  text: string;
}

/** Text with the names of its classes; it becomes a text node, never markup. */
export interface Piece {
  text: string;
  className: string;
}

const SHOWN_CHARS_MAX = 100_000;
const PIECES_MAX = 3000;

export class OutputBuffer {
  #segments: Segment[] = [];
  #chars = 0;
  /** Characters that have come, shown or not. */
  total = 0;

  add(stream: OutputStream, text: string): void {
    if (text === '') return;
    this.total += text.length;
    const kept = text.length > SHOWN_CHARS_MAX ? text.slice(-SHOWN_CHARS_MAX) : text;
    const last = this.#segments.at(-1);
    if (last?.stream === stream) last.text += kept;
    else this.#segments.push({ stream, text: kept });
    this.#chars += kept.length;
    if (this.#chars > 2 * SHOWN_CHARS_MAX || this.#segments.length > 2 * PIECES_MAX) this.#trim();
  }

  /** What is shown, and how many characters before it are not. */
  shown(): { pieces: Piece[]; hiddenChars: number } {
    this.#trim();
    const pieces: Piece[] = [];
    for (const { stream, text } of this.#segments)
      pieces.push(...piecesOf(stream, text, PIECES_MAX - pieces.length));
    return { pieces, hiddenChars: this.total - this.#chars };
  }

  #trim(): void {
    let over = this.#chars - SHOWN_CHARS_MAX;
    let first = Math.max(0, this.#segments.length - PIECES_MAX);
    for (const { text } of this.#segments.slice(0, first)) over -= text.length;
    while (over > 0 && first < this.#segments.length && this.#segments[first]!.text.length <= over) {
      over -= this.#segments[first]!.text.length;
      first += 1;
    }
    this.#segments = this.#segments.slice(first);
    const [head] = this.#segments;
    if (over > 0 && head !== undefined) head.text = head.text.slice(over);
    this.#chars = this.#segments.reduce((sum, { text }) => sum + text.length, 0);
  }
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these look for
const ESCAPES = /\x1b/g;
const COLOURS = /\x1b\[[\d;]*m/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Runs of one colour; beyond `countMax` the rest is one piece without colours. */
export function piecesOf(stream: OutputStream, text: string, countMax: number): Piece[] {
  const clean = visible(text);
  if (countMax <= 0) return [];
  if (!clean.includes('\x1b')) return [{ text: clean, className: stream }];
  const colours = clean.split('\x1b').length;
  if (colours > countMax) return [{ text: withoutColours(clean), className: stream }];
  return Anser.ansiToJson(clean, { use_classes: true, remove_empty: true }).map((run) => ({
    text: run.content,
    className: [
      stream,
      run.fg && classOf(run.fg),
      run.bg && `bg-${classOf(run.bg)}`,
      ...run.decorations.map(classOf),
    ]
      .filter(Boolean)
      .join(' '),
  }));
}

function withoutColours(text: string): string {
  return text.replace(COLOURS, '').replace(ESCAPES, '\u241b');
}

/** Names of anser's, letters and hyphens alone. */
function classOf(name: string): string {
  return `ansi-${name.replace(/^ansi-/, '').replace(/[^a-z-]/g, '')}`;
}
