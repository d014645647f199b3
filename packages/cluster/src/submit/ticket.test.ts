import { SbxError } from '@sbx/core';
import { expect, test } from 'vitest';
import {
  ClusterDeniedError,
  JobCancelledError,
  JobConflictError,
  JobDeadlineError,
  WorkerLostError,
} from '../errors.js';
import { endingOf, JobTicket, noEndings, unreadable } from './ticket.js';

test.each([
  ['lost', new WorkerLostError(2)],
  ['deadline', new JobDeadlineError(1, 'queued')],
  ['conflict', new JobConflictError('a')],
  ['denied', new ClusterDeniedError('publish', 'x')],
  ['unreadable', unreadable(new Error('version 2'))],
  ['cancelled', new JobCancelledError('a')],
  ['cancelled', new SbxError({ code: 'SBX_ABORTED', message: 'no longer wanted' })],
  ['cancelled', 'any reason of a caller'],
] as const)('an ending counts as %s', (ending, error) => {
  expect(endingOf(error)).toBe(ending);
});

test('nothing has ended at first', () => {
  expect(Object.values(noEndings()).every((count) => count === 0)).toBe(true);
});

test('says where it is, and what keeps it there', () => {
  const ticket = new JobTicket({ tenant: 't' } as JobTicket['job'], 5);
  expect([ticket.submittedAt, ticket.lookedAt]).toEqual([5, 5]);
  expect(ticket.whereabouts).toEqual(['waiting', undefined]);
  ticket.refusal = 'full';
  expect(ticket.whereabouts).toEqual(['not taken by the broker', 'full']);
});
