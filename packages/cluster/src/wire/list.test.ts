import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { ANNOUNCEMENT } from './announcement.js';
import { list, names } from './list.js';
import { OUTCOME } from './outcome.js';
import { REQUEST } from './request.js';

test('a list is read, and its first mistake is told', () => {
  const pairs = list(z.tuple([z.string(), z.int()]), 3);
  expect(pairs.parse([['a', 1]])).toEqual([['a', 1]]);
  const { error } = pairs.safeParse([['a', 1], ['b', '2'], 3]);
  expect(error?.issues.map(({ path }) => path)).toEqual([[1, 1]]);
});

test('a list has so many items', () => {
  expect(list(z.int(), 2).safeParse([1, 2, 3]).success).toBe(false);
  expect(list(z.int(), 2, 1).safeParse([]).success).toBe(false);
  expect(list(z.int(), 2, 1).safeParse([1]).success).toBe(true);
  expect(list(z.int(), 2).safeParse({}).success).toBe(false);
});

test('names are counted before any of them is looked at', () => {
  const words = names(z.string().max(4), z.string(), 2);
  expect(words.parse({ a: 'b' })).toEqual({ a: 'b' });
  expect(words.safeParse({ a: 1, b: 1, c: 1 }).error?.issues).toHaveLength(1);
  expect(words.safeParse({ abcde: 'b' }).success).toBe(false);
  expect(words.safeParse(null).success).toBe(false);
  expect(words.safeParse([]).success).toBe(false);
  const keys = vi.spyOn(Object, 'keys');
  expect(words.safeParse('a'.repeat(10)).success).toBe(false);
  expect(keys).not.toHaveBeenCalledWith(expect.anything());
  keys.mockRestore();
});

const many = (item: unknown) => Array(200).fill(item);
const program = { file: 'x', args: [] };
const result = { status: 'ok' };

// Of each field that has no item of its form.
test.each([
  ['args', REQUEST, { kind: 'run', program: { ...program, args: many(1) } }],
  ['files', REQUEST, { kind: 'run', program: { ...program, files: many([1, {}]) } }],
  ['copyOut', REQUEST, { kind: 'run', program: { ...program, copyOut: many({}) } }],
  ['fds', REQUEST, { kind: 'run', program: { ...program, fds: many([]) } }],
  ['programs', REQUEST, { kind: 'group', programs: many(program), pipes: many({}), settle: 'all' }],
  ['outputs', OUTCOME, { kind: 'run', result: { ...result, outputs: many([]) } }],
  ['files of a result', OUTCOME, { kind: 'run', result: { ...result, files: many([]) } }],
  ['fileErrors', OUTCOME, { kind: 'run', result: { ...result, fileErrors: many({}) } }],
  ['results', OUTCOME, { kind: 'group', results: many({}), errors: many({}), recordings: many({}) }],
  ['mounts', ANNOUNCEMENT, { info: { mounts: many(1) } }],
  ['languages', ANNOUNCEMENT, { languages: many(1) }],
  ['features', ANNOUNCEMENT, { info: { features: Object.fromEntries(many(1).map((_, at) => [at, {}])) } }],
  ['labels', ANNOUNCEMENT, { labels: Object.fromEntries(many(1).map((_, at) => [at, 1])) }],
])('a message of mistakes alone is not looked through: %s', (_field, schema, message) => {
  const { error } = schema.safeParse(message);
  expect(error?.issues.length).toBeGreaterThan(0);
  expect(error?.issues.length).toBeLessThan(30);
});
