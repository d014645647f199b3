import { expect, test } from 'vitest';
import { withoutSecrets } from './secrets.js';

test.each([
  [
    ['node', 'x', '-auth-token', 's3cret', '-dir', 'y'],
    ['node', 'x', '-auth-token', '…', '-dir', 'y'],
  ],
  [
    ['--auth-token=s3cret', '-auth-token='],
    ['--auth-token=…', '-auth-token=…'],
  ],
  [
    ['-auth-token', '-auth-token', 's3cret'],
    ['-auth-token', '…', 's3cret'],
  ],
  [
    ['-auth-tokens', 'x', '-dir', '-auth-token'],
    ['-auth-tokens', 'x', '-dir', '-auth-token'],
  ],
  [[], []],
])('%j', (words, shown) => {
  expect(withoutSecrets(words)).toEqual(shown);
});
