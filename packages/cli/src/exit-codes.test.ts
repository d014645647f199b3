import { expect, test } from 'vitest';
import { exitCodeOfError } from './exit-codes.js';

test('errors of the library', () => {
  expect(exitCodeOfError('SBX_INVALID_OPTIONS')).toBe(64);
  expect(exitCodeOfError('SBX_PERMISSION')).toBe(77);
  expect(exitCodeOfError('SBX_OF_THE_FUTURE')).toBe(70);
});
