import { mkdirSync } from 'node:fs';
import { InvalidOptionsError, SandboxError } from '@sbx/core';
import { expect, test, vi } from 'vitest';
import { brokenLog, logCopies, logFailure } from './logs.js';

function loggedFor(error: unknown): unknown[][] {
  const logged: unknown[][] = [];
  const to =
    (level: string) =>
    (...entry: unknown[]) =>
      void logged.push([level, ...entry]);
  logFailure(error, { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') });
  return logged;
}

test('a failure of the worker itself is a warning that says of which kind, and names no file', () => {
  let failure: unknown;
  try {
    mkdirSync('/proc/secret-name');
  } catch (error) {
    failure = error;
  }
  const [entry] = loggedFor(failure);
  expect(entry).toMatchObject([
    'warn',
    { name: 'Error', code: 'ENOENT', syscall: 'mkdir' },
    expect.any(String),
  ]);
  expect(JSON.stringify(entry)).not.toContain('secret-name');
  expect(loggedFor(new TypeError('of /secret-name'))).toMatchObject([
    ['warn', { name: 'TypeError' }, expect.any(String)],
  ]);
});

test('a lost sandbox is a warning as well', () => {
  const lost = new SandboxError({ code: 'SBX_SANDBOX_LOST', message: 'x', stage: 'none' });
  expect(loggedFor(lost)).toMatchObject([['warn', { code: 'SBX_SANDBOX_LOST' }, expect.any(String)]]);
});

test('a job that was refused is no warning: anybody may send many', () => {
  const refused = new InvalidOptionsError({ field: 'options.env', rule: 'size', expected: 'must be small' });
  expect(loggedFor(refused)).toMatchObject([['debug', { code: 'SBX_INVALID_OPTIONS' }, expect.any(String)]]);
});

test('many messages that are no jobs are one warning, and the next one counts them', () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let now = 0;
  const log = brokenLog(logger, { now: () => now });
  for (let count = 0; count < 1000; count += 1) log(new Error('cut'));
  now = 10_000;
  log(new Error('older'));
  const fields = logger.warn.mock.calls.map(([entry]) => entry);
  expect(fields).toEqual([
    { reason: 'cut', othersBefore: 0 },
    { reason: 'older', othersBefore: 999 },
  ]);
});

test.each([
  [1, 3, 1],
  [3, 3, 0],
  [1, undefined, 0],
])('a queue with %i copies where %s are asked for: %i warnings', (copies, replicas, count) => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  logCopies({ copies }, { replicas, logger });
  expect(logger.warn).toHaveBeenCalledTimes(count);
});
