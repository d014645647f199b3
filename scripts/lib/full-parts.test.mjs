import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chosenParts, duration, PARTS } from './full-parts.mjs';

const parts = ['a', 'b', 'c'].map((name) => ({ name }));
const names = (options) => chosenParts(options, parts).map(({ name }) => name);

test.each([
  ['all', {}, ['a', 'b', 'c']],
  ['some, in their order', { only: 'c, a' }, ['a', 'c']],
  ['all but some', { skip: 'b' }, ['a', 'c']],
  ['some but one', { only: 'a,b', skip: 'a' }, ['b']],
])('parts: %s', (_name, options, wanted) => {
  expect(names(options)).toEqual(wanted);
});

test('a part that is none is refused, with those that there are', () => {
  expect(() => names({ only: 'a,d' })).toThrow('--only: no part is called "d"; there are a, b, c');
  expect(() => names({ skip: '' })).toThrow('--skip: no part is called ""; there are a, b, c');
});

test('every part runs scripts that exist, and has a name of its own', () => {
  expect(new Set(PARTS.map(({ name }) => name)).size).toBe(PARTS.length);
  const scripts = PARTS.flatMap(({ commands = [] }) => commands.map(([file]) => file));
  expect(scripts.filter((file) => !existsSync(file))).toEqual([]);
});

test('durations are hours, minutes and seconds', () => {
  expect([0, 61_400, 3_725_000].map(duration)).toEqual(['0:00:00', '0:01:01', '1:02:05']);
});
