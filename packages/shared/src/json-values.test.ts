import { expect, test } from 'vitest';
import { textHasMoreValues } from './json-values.js';

test.each<[string, number]>([
  ['1', 1],
  ['[1,2]', 3],
  ['{"a":1,"b":[2]}', 4],
  ['[[[]]]', 4],
  ['["a,[{","\\",","\\\\",","]', 5],
])('%s has %d values at the most', (json, count) => {
  expect([count - 1, count].map((max) => textHasMoreValues(json, max))).toEqual([json !== '1', false]);
});

test('a string that does not end has no values in it', () => {
  expect(textHasMoreValues(`["${',['.repeat(1000)}`, 3)).toBe(false);
});

test('backslashes without end are looked at once', () => {
  const text = `["${'\\'.repeat(4_000_000)}", ${'"\\"'.repeat(100_000)}`;
  const before = process.cpuUsage();
  textHasMoreValues(text, 10);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});
