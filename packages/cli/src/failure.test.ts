import { PermissionError } from '@sbx/core';
import { expect, test } from 'vitest';
import { reportFailure } from './failure.js';
import { captured } from './testing/captured.js';
import { UsageError } from './usage-error.js';

const tell = (error: unknown, json = false) => captured(() => reportFailure(error, 'run', json));

test('a mistake of the user', async () => {
  const told = await tell(new UsageError('nothing to run', 'Write: …'));
  expect(told).toEqual({ stdout: '', stderr: 'sbx: error: nothing to run\nsbx: Write: …\n', value: 64 });
});

test('an error of the library has its own code and points to the doctor', async () => {
  const error = new PermissionError({ layer: 'cgroup', message: 'Read-only.', hint: 'Mount it.' });
  const told = await tell(error);
  expect(told.value).toBe(77);
  expect(told.stderr).toContain('Read-only. Mount it.');
  expect(told.stderr).toContain('sbx doctor');
  const json = await tell(error, true);
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: 1,
    command: 'run',
    error: { code: 'SBX_PERMISSION', details: { layer: 'cgroup' } },
    exitStatus: 77,
  });
});

test('anything else is a bug, told with its stack', async () => {
  const told = await tell(new TypeError('x is not a function'));
  expect(told.value).toBe(70);
  expect(told.stderr).toMatch(/TypeError: x is not a function\n {4}at/);
});
