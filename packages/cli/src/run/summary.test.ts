import { expect, test } from 'vitest';
import { sampleResult } from '../testing/sample.js';
import { summaryOf } from './summary.js';

const plain = (_colour: string, text: string) => text;

test('a good end', () => {
  const line = 'ok, exit code 0 · cpu 12.3 ms · wall 1.23 s · memory 5.1 MiB · 1 process';
  expect(summaryOf(sampleResult(), plain)).toBe(line);
});

test('a kill, with figures that nothing could measure', () => {
  const usage = {
    cpuTimeMs: 1000,
    wallTimeMs: 1001,
    memoryPeakBytes: null,
    fileCacheBytes: null,
    processPeakCount: null,
  };
  const result = sampleResult({ status: 'cpu-limit', exitCode: null, exitSignal: 'SIGKILL', usage });
  expect(summaryOf(result, plain)).toBe('cpu-limit, SIGKILL · cpu 1.00 s · wall 1.00 s');
});
