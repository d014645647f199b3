import { expect, test } from 'vitest';
import { parseRange } from './ranges.js';

test.each<[string, string | undefined, ReturnType<typeof parseRange>]>([
  ['no header is all of it', undefined, null],
  ['from a byte on', 'bytes=4-', [{ start: 4, length: 6 }]],
  [
    'the last byte is part of it, and may be beyond the end',
    'bytes=2-3, 8-99',
    [
      { start: 2, length: 2 },
      { start: 8, length: 2 },
    ],
  ],
  ['the last bytes, of which there may be fewer', 'bytes=-3', [{ start: 7, length: 3 }]],
  ['more together than the file is all of it', 'bytes=0-8,0-8', null],
  ['one beyond the end beside one within it does not count', 'bytes=10-,1-1', [{ start: 1, length: 1 }]],
  ['blanks between', 'bytes= 1 - 2 ,', [{ start: 1, length: 2 }]],
  ['beyond the end', 'bytes=10-', 'outside'],
  ['another unit', 'lines=1-2', 'malformed'],
  ['backwards', 'bytes=3-2', 'malformed'],
  ['neither end', 'bytes=-', 'malformed'],
  ['no number of 64 bits', 'bytes=9223372036854775808-', 'malformed'],
])('of ten bytes, %s', (_what, header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected);
});

test('an empty file has no bytes to be outside of', () => {
  expect(parseRange('bytes=0-', 0)).toBe(null);
});

test.each([' ', '1', '-', '- ', '1 '])('a header of %j alone is known in time', (bit) => {
  const before = process.cpuUsage();
  const text = bit.repeat(16_000);
  for (const header of [`bytes=1${text}x`, `bytes=-${text}x`, `bytes=x${text}`]) parseRange(header, 10);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(300);
});

test('of more ranges than may be, all of the file is sent', () => {
  const header = (count: number) => `bytes=${Array(count).fill('0-0').join()}`;
  expect(parseRange(header(512), 1000)).toHaveLength(512);
  expect(parseRange(header(513), 1000)).toBe(null);
});
