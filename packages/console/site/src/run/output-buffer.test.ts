import { describe, expect, test } from 'vitest';
import { OutputBuffer, piecesOf } from './output-buffer.js';
import { visible } from './visible.js';

describe('visible', () => {
  test.each([
    [
      'cursor moves and titles go',
      'a\x1b[2Jb\x1b[10;10Hc\x1b]0;title\x07d\x1b]8;;http://evil\x1b\\e',
      'abcde',
    ],
    ['colours stay', '\x1b[31mred\x1b[0m', '\x1b[31mred\x1b[0m'],
    ['control characters are shown', 'a\x00b\x07c\x08d\x7f', 'a\u2400b\u2407c\u2408d\u2421'],
    ['line ends are one kind', 'a\r\nb\rc\n', 'a\nb\nc\n'],
    ['bidi overrides are shown', 'a\u202eb\u2066c\u200bd', 'a<U+202E>b<U+2066>c<U+200B>d'],
    [
      'characters without a width are shown',
      'a\u00adb\u180ec\u{e0041}d\x9be',
      'a<U+00AD>b<U+180E>c<U+E0041>d<U+009B>e',
    ],
    ['the form of an emoji is not one', '\u2764\ufe0f a\ufe0f', '\u2764\ufe0f a<U+FE0F>'],
    ['a sequence cut off at the end ends nothing', 'a\x1b[3', 'a3'],
  ])('%s', (_, text, expected) => expect(visible(text)).toBe(expected));
});

describe('OutputBuffer', () => {
  test('shows the end, and counts the rest', () => {
    const buffer = new OutputBuffer();
    for (let index = 0; index < 50; index += 1) buffer.add('stdout', 'x'.repeat(1_000_000));
    buffer.add('stderr', 'the end');
    const { pieces, hiddenChars } = buffer.shown();
    expect(pieces.map(({ text }) => text).join('')).toMatch(/^x+the end$/);
    expect(pieces.map(({ className }) => className)).toEqual(['stdout', 'stderr']);
    expect(hiddenChars).toBe(50_000_007 - 100_000);
  });

  test('however many changes of stream or colour there are, pieces are few', () => {
    const buffer = new OutputBuffer();
    for (let index = 0; index < 50_000; index += 1) buffer.add(index % 2 ? 'stdout' : 'stderr', 'x');
    expect(buffer.shown().pieces.length).toBeLessThanOrEqual(3000);
    const bomb = new OutputBuffer();
    bomb.add('stdout', '\x1b[31mx\x1b[32my'.repeat(100_000));
    expect(bomb.shown().pieces.length).toBeLessThanOrEqual(3000);
  });
});

test('colours become classes, and markup stays text', () => {
  expect(piecesOf('stdout', '\x1b[1;31m<b>x</b>\x1b[0m y', 100)).toEqual([
    { text: '<b>x</b>', className: 'stdout ansi-red ansi-bold' },
    { text: ' y', className: 'stdout' },
  ]);
});
