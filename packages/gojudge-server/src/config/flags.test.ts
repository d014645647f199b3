import { describe, expect, it } from 'vitest';
import { FlagError, readFlags } from './flags.js';

describe('readFlags', () => {
  it('takes every way of writing them, flags over the environment', () => {
    const args = ['-http-addr', ':1', '--dir=/d', '-silent', '-release=false', '-cpuset', '0,1'];
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

  it('ends at --', () => expect(readFlags(['--'], {})).toEqual(new Map()));

  it.each([
    [['-enable-metrics', 'true', '-auth-token', 'x'], 'write `-enable-metrics` or `-enable-metrics=true`'],
    [['word', '-auth-token', 'x'], 'unexpected argument "word"; every argument is a flag'],
    [['-dir', 'a', 'b'], 'unexpected argument "b"'],
    [['-silent', 'b'], 'unexpected argument "b"; every'],
    [['-'], 'unexpected argument "-"'],
    [['--', '-silent'], 'unexpected argument "--"'],
    [[''], 'unexpected argument ""'],
  ])('drops nothing behind a word that is no flag: %j', (args, message) =>
    expect(() => readFlags(args, {})).toThrow(message),
  );

  it('does not repeat what may be a part of the token', () => {
    for (const args of [
      ['-auth-token=a', 'secret'],
      ['-auth-token', 'a', 'secret'],
    ]) {
      expect(() => readFlags(args, {})).toThrow(/^unexpected argument after -auth-token; quote a token/);
    }
  });

  it.each([
    [['-file-timeout', '30'], 'for flag -file-timeout: must be a duration with a unit, like 30s'],
    [['-parallelism', 'x'], 'invalid value "x" for flag -parallelism: must be a whole number'],
    [['-silent=maybe'], 'must be true or false'],
    [['-output-limit', '5t'], 'must be a size, like 64k, 256m or 8g'],
  ])('says the rule: %j', (args, message) => expect(() => readFlags(args, {})).toThrow(message));

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
    expect(() => readFlags([], { ES_FILE_TIMEOUT: '30' })).toThrow(
      'ES_FILE_TIMEOUT: invalid value "30": must be a duration with a unit, like 30s',
    );
  });
});
