// Prose, comments and native code have lines that two windows beside each other can show. Biome formats what
// else there is of TypeScript, to the same width.
import { expect, test } from 'vitest';
import { listFiles, readText } from './sources.js';

const COLUMNS_MAX = 110;
const isTooLong = (line: string) => line.length > COLUMNS_MAX;

/** What cannot be wrapped is left out: tables, blocks of code, HTML comments, and lines that are one word. */
function proseOf(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    const inCode = fence !== undefined || mark !== undefined;
    if (mark !== undefined && (fence === undefined || line.trim() === fence))
      fence = fence ? undefined : mark;
    return inCode || /^\s*(\||<!--)/.test(line) || !/\S\s+\S/.test(line.replace(/`[^`]*`/g, '')) ? '' : line;
  });
}

const longLines = (pattern: RegExp, linesOf: (text: string) => string[]) =>
  listFiles(pattern).flatMap((file) =>
    linesOf(readText(file)).flatMap((line, index) => (isTooLong(line) ? [`${file}:${index + 1}`] : [])),
  );

test(`prose has at most ${COLUMNS_MAX} columns`, () => {
  expect(longLines(/(?<!CHANGELOG)\.md$|^llms\.txt$/, proseOf)).toEqual([]);
});

/** Made files say at their top what makes them, in one line. */
const isMade = (text: string) => text.slice(0, 400).includes('Made from native/protocol');

test(`comments have at most ${COLUMNS_MAX} columns`, () => {
  const comments = (text: string) =>
    isMade(text) ? [] : text.split('\n').map((line) => (/^\s*(\/\/|\/?\*)/.test(line) ? line : ''));
  expect(longLines(/\.(ts|tsx|mts|mjs)$/, comments)).toEqual([]);
});

test(`native code has at most ${COLUMNS_MAX} columns`, () => {
  expect(longLines(/^native\/.*\.(cc|h|def)$/, (text) => text.split('\n'))).toEqual([]);
});
