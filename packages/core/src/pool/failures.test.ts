import { expect, it } from 'vitest';
import { explained, lostError } from './failures.js';

it('a fault while the reason is looked for is an error of the run, with what was thrown as its cause', () => {
  const fault = new Error('realpath');
  const thrown = explained(() => {
    throw fault;
  });
  expect(thrown).toMatchObject({ code: 'SBX_INTERNAL', retryable: false, cause: fault });
  const found = lostError('It');
  expect(explained(() => found)).toBe(found);
});
