/** How the lines that were printed differ from those expected: bounded, whatever a program prints. */
import { diffArrays } from 'diff';
import { literal } from '../run/visible.js';
import { linesOf } from './cases.js';

export interface DiffLine {
  /** `skipped`: `text` says how many lines are not shown. */
  kind: 'same' | 'missing' | 'extra' | 'skipped';
  text: string;
}

/** Lines of each side that are compared; behind them the diff says that it ends. */
const COMPARED_LINES_MAX = 20_000;
const SHOWN_LINES_MAX = 400;
const SHOWN_CHARS_MAX = 300;
/** Longer lines are the same when they begin the same: a program may print 64 MiB in one line. */
const COMPARED_CHARS_MAX = 10_000;
/** Equal lines around each difference. */
const CONTEXT_LINES = 3;
/** Beyond either the sides are told apart from their first difference to their last. */
const SEARCH = { timeout: 200, maxEditLength: 2000 };

interface Run {
  kind: 'same' | 'missing' | 'extra';
  lines: readonly string[];
}

/** Trailing white space aside, as a grader compares. */
export function diffOf(expected: string, got: string): DiffLine[] {
  const [wanted, printed] = [linesOf(expected), linesOf(got)];
  const count = Math.max(wanted.length, printed.length);
  const shown = linesShown(runsOf(comparable(wanted), comparable(printed)));
  return count > COMPARED_LINES_MAX ? [...shown, skipped(count - COMPARED_LINES_MAX)] : shown;
}

function comparable(lines: readonly string[]): string[] {
  return lines.slice(0, COMPARED_LINES_MAX).map((line) => line.slice(0, COMPARED_CHARS_MAX));
}

function runsOf(wanted: readonly string[], printed: readonly string[]): Run[] {
  const changes = diffArrays([...wanted], [...printed], SEARCH);
  if (changes === undefined) return roughRuns(wanted, printed);
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'extra' : removed ? 'missing' : 'same',
    lines: value,
  }));
}

/** Equal beginning, everything between, equal end. */
function roughRuns(wanted: readonly string[], printed: readonly string[]): Run[] {
  const shorter = Math.min(wanted.length, printed.length);
  let head = 0;
  while (head < shorter && wanted[head] === printed[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && wanted.at(-1 - tail) === printed.at(-1 - tail)) tail += 1;
  return [
    { kind: 'same', lines: wanted.slice(0, head) },
    { kind: 'missing', lines: wanted.slice(head, wanted.length - tail) },
    { kind: 'extra', lines: printed.slice(head, printed.length - tail) },
    { kind: 'same', lines: wanted.slice(wanted.length - tail) },
  ];
}

function linesShown(runs: readonly Run[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let leftOut = 0;
  for (const [at, { kind, lines: all }] of runs.entries()) {
    const parts = kind === 'same' ? contextOf(all, at === 0, at === runs.length - 1) : [all];
    for (const part of parts) {
      if (typeof part === 'number') {
        lines.push(skipped(part));
        continue;
      }
      const room = Math.max(0, SHOWN_LINES_MAX - lines.length);
      lines.push(...part.slice(0, room).map((line) => ({ kind, text: shortened(line) })));
      leftOut += Math.max(0, part.length - room);
    }
    if (lines.length >= SHOWN_LINES_MAX) {
      leftOut += runs.slice(at + 1).reduce((sum, run) => sum + run.lines.length, 0);
      break;
    }
  }
  return leftOut > 0 ? [...lines, skipped(leftOut)] : lines;
}

/** Lines beside a difference, and between them how many are left out. */
function contextOf(all: readonly string[], isFirst: boolean, isLast: boolean) {
  const before = isFirst ? 0 : CONTEXT_LINES;
  const after = isLast ? 0 : CONTEXT_LINES;
  const left = all.length - before - after;
  if (left <= 1) return [all];
  return [all.slice(0, before), left, all.slice(all.length - after)];
}

function skipped(count: number): DiffLine {
  return { kind: 'skipped', text: `${count} ${count === 1 ? 'line' : 'lines'} not shown` };
}

function shortened(line: string): string {
  return literal(line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)} …` : line);
}
