import { expect, test } from 'vitest';
import { sampleOutput, sampleResult } from '../testing/sample.js';
import { describeResult } from './result-json.js';

test('text stands for itself, other bytes come as base64 too', () => {
  const result = sampleResult({
    stdout: sampleOutput('grüße\n'),
    stderr: sampleOutput(Uint8Array.of(255, 0)),
  });
  const { stdout, stderr, status, usage } = describeResult(result);
  expect(stdout).toMatchObject({ text: 'grüße\n', base64: null, totalBytes: 8, truncated: false });
  expect(stderr).toMatchObject({ text: '\uFFFD\0', base64: '/wA=' });
  expect({ status, usage }).toEqual({ status: 'ok', usage: result.usage });
});

test('it is plain data', () => {
  const described = describeResult(sampleResult());
  expect(JSON.parse(JSON.stringify(described))).toEqual(described);
});
