import { expect, test } from 'vitest';
import { insidePath, isDevice } from './stdio.js';

test.each<[string, string | null]>([
  ['a', 'a'],
  ['./a/../b', 'b'],
  ['/w/a', 'a'],
  ['../w/a', 'a'],
  ['/wide/a', '/wide/a'],
  ['../../a', '/a'],
  ['', null],
  ['.', null],
  ['a/..', null],
  ['/', null],
  ['..', null],
])('%j is %j for the engine', (path, expected) => {
  expect(insidePath(path, '/w')).toBe(expected);
});

test('devices are told in any spelling, and by their whole name', () => {
  expect(['/dev/null', '/dev/../dev//tty', '/dev/nullx', 'dev/null'].map(isDevice)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
