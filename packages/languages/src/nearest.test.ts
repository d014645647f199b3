import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

test.each([
  ['pyton', ['python', 'cpp'], 'python'],
  ['PYTHON', ['python'], 'python'],
  ['limit', ['limits', 'engine'], 'limits'],
  ['zzzzzz', ['python', 'cpp'], null],
  ['x', ['c'], null],
  ['', ['c'], null],
])('%j among %j is %s', (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});
