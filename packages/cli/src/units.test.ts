import { describe, expect, test } from 'vitest';
import {
  formatDuration,
  formatSize,
  parseCount,
  parseDurationMs,
  parseRate,
  parseSizeBytes,
} from './units.js';
import { UsageError } from './usage-error.js';

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['1.5s', 1500],
    ['2 s', 2000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['0s', 0],
  ])('%s', (text, ms) => {
    expect(parseDurationMs(text, '--cpu')).toBe(ms);
  });

  test.each([
    '1',
    '',
    's',
    '-1s',
    '1d',
    '1e3s',
    '1s2',
    ' 1s',
    '0x1s',
    'none',
    '1.s',
    '5constructor',
    '9'.repeat(400),
  ])('not %j', (text) => {
    expect(() => parseDurationMs(text, '--cpu')).toThrow(UsageError);
  });

  test('an error names flag, value and form', () => {
    expect(() => parseDurationMs('10', '--cpu')).toThrow(
      '--cpu: "10" is not a time; write a time with its unit',
    );
  });
});

describe('sizes', () => {
  test.each([
    ['4096B', 4096],
    ['64KiB', 65_536],
    ['64k', 65_536],
    ['256MiB', 268_435_456],
    ['256m', 268_435_456],
    ['1.5GiB', 1_610_612_736],
    ['1MB', 1_000_000],
    ['2kB', 2000],
    ['0.3KiB', 307],
  ])('%s', (text, bytes) => {
    expect(parseSizeBytes(text, '--memory')).toBe(bytes);
  });

  test.each(['256', 'MiB', '1TB', '-1MiB', '1MiBs', '1,5MiB', '5constructor'])('not %j', (text) => {
    expect(() => parseSizeBytes(text, '--memory')).toThrow(UsageError);
  });
});

test('counts and rates', () => {
  expect(parseCount('32', '--processes')).toBe(32);
  expect(parseRate('0.5', '--cpu-rate')).toBe(0.5);
  for (const text of ['', '1.5', '-1', 'x', '1e3'])
    expect(() => parseCount(text, '--processes')).toThrow(UsageError);
  for (const text of ['', '.5', '-1', 'x']) expect(() => parseRate(text, '--cpu-rate')).toThrow(UsageError);
});

test('durations for people', () => {
  expect([0.123, 5.44, 99.94, 512.3, 1234.5].map(formatDuration)).toEqual([
    '0.12 ms',
    '5.4 ms',
    '99.9 ms',
    '512 ms',
    '1.23 s',
  ]);
});

test('sizes for people', () => {
  expect([0, 1023, 1536, 5_347_737, 256 * 2 ** 20, 3 * 2 ** 30].map(formatSize)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '5.1 MiB',
    '256 MiB',
    '3.0 GiB',
  ]);
});
