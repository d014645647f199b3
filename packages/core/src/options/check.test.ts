import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import {
  BOOLEAN,
  by,
  checkTable,
  kernelTextProblem,
  nested,
  number,
  type Table,
  table,
  text,
  word,
} from './check.js';
import { problem, throwProblem } from './problem.js';

const inner = table('inner things', { deep: number(0, 5), deeper: text(8) });
const rules = table(
  'things',
  {
    count: number(1, 10),
    rate: number(0, 1, { integer: false, nullMeans: 'as much as there is' }),
    timeMs: number(1, 100, { unit: 'ms' }),
    sizeBytes: number(1, 100, { unit: 'bytes', nullMeans: 'no limit' }),
    name: text(6),
    content: text(6, { empty: true, secret: true }),
    flag: BOOLEAN,
    mode: word('fast', 'slow', false),
    call: { kind: 'function' },
    inner: nested(inner),
    own: by((value) => (value === 'good' ? null : problem('format', 'must be good'))),
  },
  { hints: { size: 'Give sizeBytes, in bytes.' } },
);

function errorOf(value: unknown, checked: Table = rules): InvalidOptionsError | null {
  try {
    const found = checkTable(value, checked);
    return found === null ? null : throwProblem('options', found);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

describe('what is fine', () => {
  it.each([
    {},
    Object.create(null),
    { count: 1, rate: 0.5, timeMs: 100, sizeBytes: null, name: 'żżż', flag: false, mode: false },
    { rate: null, content: '', call: () => 1, inner: { deep: 5 }, own: 'good', mode: 'slow' },
    { content: 'a\0b' },
    { count: undefined, inner: undefined },
    Object.freeze({ inner: Object.freeze({ deep: 0 }) }),
    runInNewContext('({ count: 3, inner: { deep: 1 } })'),
    JSON.parse('{"count": 3}'),
  ])('case %#', (value) => {
    expect(errorOf(value)).toBeNull();
  });

  it('an enumerable key on Object.prototype is nobody’s fault', () => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true });
    const error = errorOf({ count: 1 });
    delete (Object.prototype as Record<string, unknown>).polluted;
    expect(error).toBeNull();
  });
});

describe('what is refused', () => {
  it('what is no object at all is shown one', () => {
    const called = table('calls', { code: text(6) }, { example: "{ code: '…' }" });
    expect(errorOf('x', called)?.hint).toBe("An example: { code: '…' }.");
    expect(errorOf(new URL('a:b'), called)?.hint).toMatch(/^Copy its fields/);
    expect(errorOf('x')?.hint).toBeNull();
  });

  it.each([
    [{ count: 0 }, '.count', 'range'],
    [{ count: 11 }, '.count', 'range'],
    [{ count: 1.5 }, '.count', 'range'],
    [{ count: Number.NaN }, '.count', 'range'],
    [{ count: Number.POSITIVE_INFINITY }, '.count', 'range'],
    [{ rate: Number.NaN }, '.rate', 'range'],
    [{ count: null }, '.count', 'type'],
    [{ count: '5' }, '.count', 'type'],
    [{ count: 5n }, '.count', 'type'],
    [{ count: Object(5) }, '.count', 'type'],
    [{ name: 5 }, '.name', 'type'],
    [{ name: '' }, '.name', 'format'],
    [{ name: 'a\0' }, '.name', 'nul'],
    [{ name: 'a\ud800' }, '.name', 'format'],
    [{ name: '1234567' }, '.name', 'size'],
    [{ name: 'żżżż' }, '.name', 'size'],
    [{ content: '1234567' }, '.content', 'size'],
    [{ flag: 1 }, '.flag', 'type'],
    [{ mode: 'fats' }, '.mode', 'choice'],
    [{ mode: true }, '.mode', 'type'],
    [{ call: 'f' }, '.call', 'type'],
    [{ inner: null }, '.inner', 'type'],
    [{ inner: [] }, '.inner', 'type'],
    [{ inner: { deep: 6 } }, '.inner.deep', 'range'],
    [{ inner: { other: 6 } }, '.inner.other', 'unknown-key'],
    [{ own: 'bad' }, '.own', 'format'],
    [{ 'odd key': 1 }, '["odd key"]', 'unknown-key'],
    [JSON.parse('{"__proto__": 1}'), '.__proto__', 'unknown-key'],
    [{ constructor: 1 }, '.constructor', 'unknown-key'],
    [{ unknown: undefined }, '.unknown', 'unknown-key'],
    [null, '', 'type'],
    [undefined, '', 'type'],
    [5, '', 'type'],
    ['text', '', 'type'],
    [[], '', 'type'],
    [() => 1, '', 'type'],
    [new Map(), '', 'type'],
    [new Date(), '', 'type'],
    [Object.create({ count: 1 }), '', 'type'],
  ])('case %#', (value, path, rule) => {
    const error = errorOf(value);
    expect([error?.field, error?.rule]).toEqual([`options${path}`, rule]);
    expect(error?.code).toBe('SBX_INVALID_OPTIONS');
  });

  it('a getter, without calling it', () => {
    let called = false;
    const value = {
      get count() {
        called = true;
        return 1;
      },
    };
    expect(errorOf(value)?.message).toContain('not a getter');
    expect(called).toBe(false);
  });
});

describe('messages', () => {
  it.each([
    [{ count: 0 }, 'options.count must be a whole number from 1 to 10; got the number 0.'],
    [
      { sizeBytes: 0 },
      'options.sizeBytes must be a whole number of bytes from 1 to 100, or null for no limit; got the number 0. ' +
        'Give null for no limit.',
    ],
    [{ sizeBytes: '256MiB' }, '256 * 2 ** 20 is 256 MiB'],
    [{ timeMs: '5s' }, 'milliseconds'],
    [{ coutn: 1 }, 'options.coutn is not a key of things. Did you mean count?'],
    [{ size: 1 }, 'options.size is not a key of things. Give sizeBytes, in bytes.'],
    [{ deep: 1 }, 'options.deep is not a key of things. It belongs into inner: { deep: … }.'],
    [{ dep: 1 }, 'options.dep is not a key of things. Did you mean inner: { deep: … }?'],
    [{ qqqqqq: 1 }, 'Known keys: count, rate, timeMs'],
    [{ mode: 'fats' }, "must be one of 'fast', 'slow', false; got the string \"fats\". Did you mean 'fast'?"],
    [{ name: 'a\0b' }, 'options.name must not contain a NUL byte; got one at position 1.'],
    [new (class Options {})(), 'got an object of class Options. Copy its fields'],
  ])('case %#', (value, words) => {
    expect(errorOf(value)?.message).toContain(words);
  });

  it('never repeat contents', () => {
    expect(errorOf({ content: 'hunter2' })?.message).not.toContain('hunter2');
    expect(errorOf({ inner: 'hunter2' })?.message).not.toContain('hunter2');
  });
});

describe('keys that depend on each other', () => {
  const either = table(
    'a choice',
    { a: number(0, 1), b: number(0, 1), c: number(0, 1) },
    { exactlyOne: ['a', 'b'] },
  );
  const needy = table('a need', { a: number(0, 1), b: number(0, 1) }, { required: ['b'] });

  it.each([
    [{ a: 1 }, either, undefined],
    [{ b: 1, c: 1 }, either, undefined],
    [{ a: 1, b: undefined }, either, undefined],
    [{ c: 1 }, either, 'required'],
    [{ a: 1, b: 1 }, either, 'conflict'],
    [{ b: 0 }, needy, undefined],
    [{ a: 0 }, needy, 'required'],
    [{ b: undefined }, needy, 'required'],
  ])('case %#', (value, checked, rule) => {
    expect(errorOf(value, checked)?.rule).toBe(rule);
  });

  it('`then` comes after the table and below its path', () => {
    const odd = nested(inner, (value) =>
      (value as { deep?: number }).deep === 3 ? problem('conflict', 'is odd') : null,
    );
    const outer = table('outer', { inner: odd });
    expect(errorOf({ inner: { deep: 3 } }, outer)?.message).toBe('options.inner is odd.');
    expect(errorOf({ inner: { deep: 9 } }, outer)?.field).toBe('options.inner.deep');
    expect(errorOf({ inner: { deep: 2 } }, outer)).toBeNull();
  });
});

it('text that is the same as bytes has no problem', () => {
  for (const text of ['', 'a', 'ü', '\u{fffd}', '\u{1f600}', 'a\u{10ffff}b'])
    expect(kernelTextProblem(text), text).toBe(null);
});

it('half a character is named by its place, with what to do, and nothing is repeated', () => {
  for (const [text, at] of [
    ['secret\ud800', 6],
    ['\udc00secret', 0],
    ['\u{1f600}\ude00\ud83d', 2],
  ] as const)
    expect(kernelTextProblem(text)).toEqual({
      path: '',
      rule: 'format',
      expected: 'must be well-formed Unicode',
      got: `a lone surrogate at position ${at}`,
      hint: expect.stringContaining('toWellFormed()'),
    });
});
