import { describe, expect, it } from 'vitest';
import { FlagError, readFlags } from './flags.js';

describe('readFlags', () => {
  it('takes every way of writing them, flags over the environment', () => {
    const args = [
      '-http-addr',
      ':1',
      '--dir=/d',
      '-silent',
      '-release=false',
      '-cpuset',
      '0,1',
      'rest',
      '-nope',
    ];
    const flags = readFlags(args, { ES_DIR: '/e', ES_FILE_TIMEOUT: '1h' });
    expect(flags).toEqual(
      new Map<string, unknown>([
        ['dir', '/d'],
        ['file-timeout', 3_600_000],
        ['http-addr', ':1'],
        ['silent', true],
        ['release', false],
        ['cpuset', ['0', '1']],
      ]),
    );
  });

  it.each([['-'], ['--'], ['word']])('ends at %s', (word) =>
    expect(readFlags([word, '-nope'], {})).toEqual(new Map()),
  );

  it('gives help', () => expect(readFlags(['-h'], {})).toBe('help'));

  it.each([
    [['-nope']],
    [['-parallelism', 'x']],
    [['-parallelism']],
    [['-silent=maybe']],
    [['-file-timeout', '30']],
    [['-=x']],
    [['---silent']],
  ])('refuses %j', (args) => expect(() => readFlags(args, {})).toThrow(FlagError));

  it('names the flag that was meant, and none at a distance', () => {
    expect(() => readFlags(['-paralelism', '4'], {})).toThrow('-paralelism (did you mean -parallelism?)');
    expect(() => readFlags(['-nope'], {})).toThrow(/^flag provided but not defined: -nope$/);
  });

  it('refuses a bad variable by its name', () => {
    expect(() => readFlags([], { ES_PARALLELISM: 'x' })).toThrow(/^load config failed: ES_PARALLELISM/);
  });
});
