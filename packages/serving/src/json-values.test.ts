import { expect, test } from 'vitest';
import { hasMoreValues } from './json-values.js';

const counts = (text: string, most: number) =>
  [most - 1, most].map((valuesMax) => hasMoreValues(Buffer.from(text), valuesMax));

test.each([
  ['[]', 2],
  ['[1,2,3]', 4],
  ['{"a":1,"b":[{}]}', 5],
  ['["[,{"]', 2],
  ['["a,\\"[[", "\\\\", {"k,": "v,"}]', 5],
  ['["no end [[[', 2],
])('%s: not less than its values', (text, most) => {
  expect(counts(text, most)).toEqual([true, false]);
});

test('a long text is looked at once', () => {
  const text = Buffer.from(`["${'\\\\'.repeat(2 ** 21)}","${'\\"'.repeat(2 ** 21)}"]`);
  const before = process.cpuUsage();
  expect(hasMoreValues(text, 3)).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(1e6);
});
