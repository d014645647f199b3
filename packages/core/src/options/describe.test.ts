import { expect, describe as group, it } from 'vitest';
import { describe, describeSecret, quote } from './describe.js';

group('describe', () => {
  it.each([
    ['5s', 'the string "5s"'],
    ['a\0b', 'the string "a\\u0000b"'],
    ['x'.repeat(50), `the string "${'x'.repeat(40)}"… (50 characters)`],
    [5, 'the number 5'],
    [Number.NaN, 'the number NaN'],
    [5n, 'the bigint 5n'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[1, 2], 'an array of 2'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new Map(), 'an object of class Map'],
    [() => 1, 'a function'],
    [Symbol('s'), 'a symbol'],
  ])('%s', (value, words) => {
    expect(describe(value)).toBe(words);
  });

  it('survives objects whose properties throw', () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
      },
    );
    expect(describe(hostile)).toBe('an object');
  });

  it('tells only the size of a secret', () => {
    expect(describeSecret('hunter2')).toBe('a string of 7 characters');
    expect(describeSecret(7)).toBe('the number 7');
  });

  it('quotes', () => {
    expect(quote('a"b\n')).toBe('"a\\"b\\n"');
  });
});
