import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

it.each([
  ['tokn', 'token'],
  ['memory', 'memoryBytes'],
  ['timeoutMS', 'timeoutMs'],
  ['layuot', 'layout'],
  ['abc', null],
  ['x', null],
  ['x'.repeat(65), null],
])('%s is near %s', (word, meant) => {
  expect(nearestName(word, ['url', 'token', 'memoryBytes', 'timeoutMs', 'layout'])).toBe(meant);
});

it('makes no suggestion at a distance', () => {
  expect(nearestName('ruby', ['rust', 'python'])).toBe(null);
});
