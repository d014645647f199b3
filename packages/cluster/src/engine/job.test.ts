import { expect, it } from 'vitest';
import { settingsOf } from './job.js';

const DEFAULTS = { tenant: 'default', maxAttempts: 3, deadlineMs: 1000, orphanGraceMs: 30_000 };
const request = { file: '/bin/true' };

it('a job has its own settings, or those of its engine', () => {
  expect(settingsOf({ id: 'a', request, deadlineMs: 5 }, DEFAULTS)).toEqual({
    ...DEFAULTS,
    ...{ id: 'a', priority: 0, deadlineMs: 5 },
  });
});

it.each([
  [undefined, /^job must be a plain object .*An example: \{ id: /],
  [{ id: 'a' }, /^job\.request is missing/],
  [{ id: 'a', request: null }, /^job\.request must be a plain object/],
  [{ id: 'a', request: ['ls'] }, /^job\.request must be a plain object/],
  [{ id: 'a', request: { ...request, arg: [] } }, /^job\.request\.arg .*Did you mean args\?/],
  [{ request }, /^job\.id is missing/],
  [{ id: 5, request }, /^job\.id must be 1 to 128 characters/],
  [{ id: 'a', request, deadline: 5 }, /^job\.deadline .*Did you mean deadlineMs\?/],
  [{ id: 'a', request, maxAttempts: '3' }, /^job\.maxAttempts must be an integer/],
])('%j is refused by name', (job, message) => {
  expect(() => settingsOf(job as never, DEFAULTS)).toThrow(message);
});
