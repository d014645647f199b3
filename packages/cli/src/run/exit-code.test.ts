import { expect, test } from 'vitest';
import { sampleResult } from '../testing/sample.js';
import { exitCodeOfResult, exitCodeOfSignal } from './exit-code.js';

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
