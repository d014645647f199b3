import { InvalidOptionsError, OverloadedError, SandboxError } from '@sbx/core';
import { expect, test } from 'vitest';
import { BrokenMessageError } from '../wire/envelope.js';
import { isWorkersFault, nextAttemptMs } from './worker-fault.js';

const sandboxError = (code: 'SBX_SANDBOX_LOST' | 'SBX_HOST_MEMORY' | 'SBX_BAD_CWD') =>
  new SandboxError({ code, message: 'x', stage: 'none' });

test.each([
  ['the helper was killed', sandboxError('SBX_SANDBOX_LOST'), true],
  ['memory ran out around the engine', sandboxError('SBX_HOST_MEMORY'), true],
  ['others use the engine as well', new OverloadedError({ message: 'x', retryAfterMs: 1 }), true],
  ['its disk is full', Object.assign(new Error('x'), { code: 'ENOSPC', errno: -28, syscall: 'write' }), true],
  ['the job’s folder is not there', sandboxError('SBX_BAD_CWD'), false],
  [
    'the job’s options are wrong',
    new InvalidOptionsError({ field: 'f', rule: 'size', expected: 'x' }),
    false,
  ],
  ['the job cannot be read', new BrokenMessageError('cut'), false],
  ['this library has a defect, which the job found', new TypeError('x'), false],
  ['somebody threw nothing', undefined, false],
  ['somebody threw null', null, false],
])('%s: %s', (_what, error, expected) => {
  expect(isWorkersFault(error)).toBe(expected);
});

test('attempts come later and later, up to half a minute', () => {
  expect([1, 2, 3, 4, 5, 600].map(nextAttemptMs)).toEqual([250, 1000, 4000, 16_000, 30_000, 30_000]);
});
