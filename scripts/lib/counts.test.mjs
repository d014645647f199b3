import { expect, test } from 'vitest';
import { addCounts, countLine, readCountLine } from './counts.mjs';

test.each([
  ['one line', '3 passed, 0 failed', { passed: 3, failed: 0, skipped: 0 }],
  [
    'the last of several',
    '1 passed, 2 failed\nx\n4 passed, 0 failed, 2 skipped\n',
    { passed: 4, failed: 0, skipped: 2 },
  ],
  ['no line of its own', 'Tests: 3 passed, 0 failed', null],
  ['nothing', '', null],
])('a count line is read from %s', (_name, output, counts) => {
  expect(readCountLine(output)).toEqual(counts);
});

test('what is printed is read back', () => {
  const counts = addCounts({ passed: 2 }, { passed: 1, failed: 4, skipped: 5 });
  expect(readCountLine(countLine(counts))).toEqual({ passed: 3, failed: 4, skipped: 5 });
});
