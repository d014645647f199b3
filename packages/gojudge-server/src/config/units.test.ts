import { describe, expect, it } from 'vitest';
import { parseBool, parseDurationMs, parseList, parseSize, parseTmpfsData } from './units.js';

describe('units of flags', () => {
  it.each([
    ['64k', 65_536],
    ['1MB', 1_048_576],
    ['10b', 10],
    ['2G', 2 ** 31],
    ['5', 5],
    ['', null],
    ['-1', null],
    ['1.5m', null],
    ['1t', null],
  ])('size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each([
    ['100ms', 100],
    ['30m', 1_800_000],
    ['1h1m1s', 3_661_000],
    ['1.5s', 1500],
    ['0', 0],
    ['5', null],
    ['', null],
    ['1x', null],
  ])('duration %s', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  it('booleans, lists and tmpfs data', () => {
    expect(['1', 't', 'TRUE', '0', 'False', 'yes'].map(parseBool)).toEqual([
      true,
      true,
      true,
      false,
      false,
      null,
    ]);
    expect([parseList(''), parseList('a,b')]).toEqual([[], ['a', 'b']]);
    expect(parseTmpfsData('size=128m,nr_inodes=4k')).toEqual({ sizeBytes: 2 ** 27, inodeCount: 4096 });
  });
});
