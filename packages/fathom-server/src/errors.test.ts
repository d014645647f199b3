import { type ErrorCode, SandboxError, SbxError } from '@sbx/core';
import { expect, test } from 'vitest';
import { failureOf } from './errors.js';

const engineError = (code: ErrorCode) => new SbxError({ code, message: 'SECRET' });

test.each([
  ['SBX_INVALID_OPTIONS', 'INVALID_REQUEST'],
  ['SBX_PROGRAM_TOO_BIG', 'INVALID_REQUEST'],
  ['SBX_LANGUAGE_UNAVAILABLE', 'LANGUAGE_NOT_SUPPORTED'],
  ['SBX_PROGRAM_NOT_FOUND', 'LANGUAGE_NOT_SUPPORTED'],
  ['SBX_PROGRAM_NOT_EXECUTABLE', 'LANGUAGE_NOT_SUPPORTED'],
  ['SBX_PERMISSION', 'INTERNAL_ERROR'],
  ['SBX_INTERNAL', 'INTERNAL_ERROR'],
] as const)('%s repeats with the same request: %s, not retryable', (code, wireCode) => {
  const failure = failureOf(engineError(code));
  expect(failure).toMatchObject({ code: wireCode, retryable: false });
  expect(failure.message).not.toMatch(/SECRET/);
});

test.each(['SBX_SANDBOX_LOST', 'SBX_CLOSED'] as const)('%s passes: retryable', (code) => {
  expect(failureOf(engineError(code))).toMatchObject({ code: 'INTERNAL_ERROR', retryable: true });
});

test('an engine, or a cluster, whose queue is full', () => {
  expect(failureOf(engineError('SBX_OVERLOADED'))).toMatchObject({
    code: 'SANDBOX_OVERLOADED',
    retryable: true,
  });
});

const EPERM = 1;
const ENOMEM = 12;
test.each([
  [EPERM, false],
  [ENOMEM, true],
  [0, true],
])('a step of the set-up that fails with errno %i: retryable %j', (errno, retryable) => {
  const error = new SandboxError({ code: 'SBX_SANDBOX_SETUP', message: 'm', stage: 'mount', errno });
  expect(failureOf(error)).toMatchObject({ code: 'INTERNAL_ERROR', retryable });
});

test('what is no error of the engine is taken for passing', () => {
  expect(failureOf(new TypeError('x'))).toMatchObject({ retryable: true });
});
