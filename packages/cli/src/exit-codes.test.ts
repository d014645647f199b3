import { expect, test } from 'vitest';
import { exitCodeOfError, exitCodeOfResult, exitCodeOfSignal } from './exit-codes.js';
import { sampleResult } from './testing/sample.js';

test.each([
  [{}, 0],
  [{ status: 'exit', exitCode: 3 }, 3],
  [{ status: 'signal', exitCode: null, exitSignal: 'SIGSEGV' }, 139],
  [{ status: 'signal', exitCode: null, exitSignal: 'SIGRTMIN+2' }, 164],
  [{ status: 'cpu-limit', exitCode: null, exitSignal: 'SIGKILL' }, 124],
  [{ status: 'wall-limit', exitCode: null, exitSignal: 'SIGKILL' }, 124],
  [{ status: 'memory-limit', exitCode: null, exitSignal: 'SIGKILL' }, 137],
  [{ status: 'output-limit', exitCode: null, exitSignal: 'SIGKILL' }, 153],
  [{ status: 'forbidden-syscall', exitCode: null, exitSignal: 'SIGSYS' }, 159],
  [{ status: 'file-error' }, 74],
] as const)('%j exits with %i', (changes, code) => {
  expect(exitCodeOfResult(sampleResult(changes))).toBe(code);
});

test('signals by name', () => {
  expect(exitCodeOfSignal('SIGTERM')).toBe(143);
  expect(exitCodeOfSignal('SIGRTMIN')).toBe(162);
  expect([exitCodeOfSignal('SIG33'), exitCodeOfSignal('SIGRTMIN+30')]).toEqual([161, 192]);
});

test('errors of the library', () => {
  expect(exitCodeOfError('SBX_INVALID_OPTIONS')).toBe(64);
  expect(exitCodeOfError('SBX_PERMISSION')).toBe(77);
  expect(exitCodeOfError('SBX_OF_THE_FUTURE')).toBe(70);
});
