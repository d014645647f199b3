import { expect, test } from 'vitest';
import { sampleOf, samplesInWords } from './sample.js';

const message = { type: 'run', id: 'a', wallTimeMs: 20.4, cpuTimeMs: 9.6, memoryBytes: 3 * 2 ** 19 } as const;

test.each([
  [message, '2 samples, the last at 20 ms: 10 ms of CPU time, 1.5 MiB'],
  [{ ...message, memoryBytes: 0 }, '2 samples, the last at 20 ms: 10 ms of CPU time, 0.0 MiB'],
  [
    { ...message, cpuTimeMs: null, memoryBytes: null },
    '2 samples, the last at 20 ms: CPU time not counted, memory not counted',
  ],
])('a figure that nobody counts is no zero: %o', (last, words) => {
  expect(samplesInWords([sampleOf(message), sampleOf(last)])).toBe(words);
});
