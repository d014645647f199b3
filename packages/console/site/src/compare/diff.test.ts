import { expect, test } from 'vitest';
import { diffOf } from './diff.js';

const SIGNS = { same: ' ', missing: '-', extra: '+', skipped: '…' };
const textOf = (expected: string, got: string) =>
  diffOf(expected, got).map(({ kind, text }) => SIGNS[kind] + text);

test('lines that are missing, extra and the same', () => {
  expect(textOf('a\nb\nc\n', 'a\nx\nc  \nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
});

test('equal lines far from a difference are counted, not shown', () => {
  const lines = Array.from({ length: 20 }, (_, at) => String(at));
  expect(textOf(lines.join('\n'), lines.with(10, 'x').join('\n'))).toEqual([
    '…7 lines not shown',
    ...[' 7', ' 8', ' 9', '-10', '+x', ' 11', ' 12', ' 13'],
    '…6 lines not shown',
  ]);
});

test('huge and wholly different outputs cost little and are cut', () => {
  const [expected, got] = ['e', 'g'].map((name) =>
    Array.from({ length: 100_000 }, (_, at) => name + at).join('\n'),
  );
  const startedAt = performance.now();
  const lines = diffOf(expected!, got!);
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(lines.length).toBeLessThan(410);
  expect(lines.slice(-2).map(({ text }) => text)).toEqual(['39600 lines not shown', '80000 lines not shown']);
});

test('one line without an end is cut, and characters that hide are seen', () => {
  const [missing, extra] = diffOf('a\u202eb', 'x'.repeat(5_000_000));
  expect(missing).toEqual({ kind: 'missing', text: 'a<U+202E>b' });
  expect(extra!.text.length).toBeLessThan(310);
});
