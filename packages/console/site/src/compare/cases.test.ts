import { expect, test } from 'vitest';
import { casesOf, differenceOf } from './cases.js';

test('cases, with and without what they must print', () => {
  expect(casesOf('1 2\n--- expected\n3\n--- case\n4\n')).toEqual([
    { stdin: '1 2\n', expected: '3\n' },
    { stdin: '4\n', expected: null },
  ]);
});

test.each([
  ['the same', 'a\nb\n', 'a\nb', null],
  ['white space at the end of lines', 'a\nb', 'a  \nb\n\n', null],
  ['another line', 'a\nb', 'a\nc', { line: 2, expected: 'b', got: 'c' }],
  ['a line less', 'a\nb', 'a', { line: 2, expected: 'b', got: '(nothing)' }],
  ['one that has a colour', 'a', '\x1b[mb\x1b[2Ka', { line: 1, expected: 'a', got: '\u241b[mb\u241b[2Ka' }],
  ['one that begins again', 'a', 'b\ra', { line: 1, expected: 'a', got: 'b\u240da' }],
  ['a line that turns around', 'a', 'a\u202e', { line: 1, expected: 'a', got: 'a<U+202E>' }],
])('%s', (_, expected, got, difference) => expect(differenceOf(expected, got)).toEqual(difference));
