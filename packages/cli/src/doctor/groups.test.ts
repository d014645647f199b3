import { expect, test } from 'vitest';
import { groupRepeated, titleOf } from './groups.js';
import type { Check } from './types.js';

const check = (id: string, changes: Partial<Check> = {}): Check => ({
  id,
  layer: 'cgroup',
  title: `Guarantee ${id}`,
  required: true,
  state: 'missing',
  found: 'no cgroups',
  why: 'It matters.',
  fix: 'Mend it.',
  ...changes,
});

test('rows that miss for one reason are one', () => {
  const groups = groupRepeated([check('a'), check('b'), check('c', { found: 'other' }), check('d')]);
  expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['a', 'b'], ['c'], ['d']]);
  expect(groups.map(titleOf)).toEqual(['Guarantees a, b', 'Guarantee c', 'Guarantee d']);
});

test('rows that are well, and required and optional ones, stay apart', () => {
  const rows = [
    check('a', { state: 'ok' }),
    check('b', { state: 'ok' }),
    check('c'),
    check('d', { required: false }),
  ];
  expect(groupRepeated(rows)).toHaveLength(4);
});
