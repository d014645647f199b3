/** Cases as text: inputs, and what they must print. */
import { literal } from '../run/visible.js';

export interface Case {
  stdin: string;
  /** `null`: whatever it prints is fine. */
  expected: string | null;
}

export interface Difference {
  /** From 1. */
  line: number;
  expected: string;
  got: string;
}

/** More than these are not run. */
const CASES_MAX = 1000;
const SHOWN_CHARS = 120;

export function casesOf(text: string): Case[] {
  return text
    .split(/^--- case *\n?/m)
    .slice(0, CASES_MAX)
    .map((part) => {
      const [stdin = '', expected] = part.split(/^--- expected *\n?/m);
      return { stdin, expected: expected ?? null };
    });
}

/** The first line that differs, trailing white space aside; `null`: none. */
export function differenceOf(expected: string, got: string): Difference | null {
  const [wanted, printed] = [linesOf(expected), linesOf(got)];
  const count = Math.max(wanted.length, printed.length);
  for (let at = 0; at < count; at += 1) {
    if (wanted[at] === printed[at]) continue;
    return { line: at + 1, expected: shown(wanted[at]), got: shown(printed[at]) };
  }
  return null;
}

/** Without white space at the ends of lines and of the text. */
export function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

function shown(line: string | undefined): string {
  if (line === undefined) return '(nothing)';
  return literal(line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)} …` : line);
}
