import { expect, it } from 'vitest';
import { checkOptionNames, nearestName } from './known-options.js';

it.each([
  ['graceMS', 'graceMs'],
  ['giveupMs', 'giveUpMs'],
  ['grace', 'graceMs'],
  ['layuot', 'layout'],
  ['colour', null],
  ['x', null],
])('%s is near %s', (word, name) => {
  expect(nearestName(word, ['dir', 'group', 'layout', 'pipes', 'graceMs', 'giveUpMs'])).toBe(name);
});

it('makes no suggestion at a distance', () => {
  expect(nearestName('ruby', ['rust', 'python'])).toBe(null);
});

it('names the option, the known ones and the one that was meant', () => {
  expect(() => checkOptionNames({ dri: 1 }, ['dir', 'pipes'])).toThrow(
    /^dri is not known; known are dir, pipes\.$/,
  );
  expect(() => checkOptionNames({ pipe: 1 }, ['dir', 'pipes'])).toThrow('Did you mean pipes?');
  expect(() => checkOptionNames({ dir: 1 }, ['dir'])).not.toThrow();
});
