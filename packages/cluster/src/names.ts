/**
 * Names at the broker. Everything of a tenant has the tenant as one part of its subject, so that permissions
 * of NATS can fence tenants:
 *
 *   sbx.jobs.TENANT                the work queue (stream sbx-jobs)
 *   sbx.notice.TENANT.SUBMITTER    from workers to a job's submitter: a worker has it; does it live
 *   sbx.cancel.TENANT              from submitters to all workers
 *   sbx.session.TENANT.ID.up|down  streams of a living program: to its submitter, to its worker
 *   $KV.sbx-records.TENANT.ID      how a job ended: the first write holds
 *   sbx.ended.TENANT.ID            the same record, sent on by the broker when it is stored
 *   $O.sbx-files.M.TENANT.SHA256   a file of jobs: its size, and what its chunks are called
 *   $O.sbx-files.C.TENANT.ID.INDEX a chunk of it
 *   $KV.sbx-workers.WORKER         who works, and what it can do; gone when not renewed for a while
 */
import { InvalidOptionsError } from '@sbx/core';

export const JOB_STREAM = 'sbx-jobs';
/** The consumer that all workers pull from. */
export const WORKERS = 'workers';
export const RECORD_BUCKET = 'sbx-records';
export const WORKER_BUCKET = 'sbx-workers';
export const FILE_BUCKET = 'sbx-files';

export const subjects = {
  jobs: (tenant: string) => `sbx.jobs.${tenant}`,
  notice: (tenant: string, submitter: string) => `sbx.notice.${tenant}.${submitter}`,
  cancel: (tenant: string) => `sbx.cancel.${tenant}`,
  /** `key`: of a record. */
  ended: (key: string) => `sbx.ended.${key}`,
  up: (tenant: string, session: string) => `sbx.session.${tenant}.${session}.up`,
  down: (tenant: string, session: string) => `sbx.session.${tenant}.${session}.down`,
};

/** Where the record of that key is written. */
export function recordSubject(key: string): string {
  return `$KV.${RECORD_BUCKET}.${key}`;
}

/** Key of a job's record. */
export function recordKey(tenant: string, id: string): string {
  return `${tenant}.${id}`;
}

/** One part of a subject, so nothing that NATS reads as more than a name. */
export const TENANT = /^[A-Za-z0-9_-]{1,64}$/;
export const JOB_ID = /^[A-Za-z0-9_-]{1,128}$/;

export const SHA256 = /^[0-9a-f]{64}$/;

/** Hash of a job's body, for another submitter of the same id. */
export const HASH_HEADER = 'Sbx-Body';
/** `TENANT.ID`, with the hash behind it where another tenant has taken that. */
export const ID_HEADER = 'Nats-Msg-Id';
/** On what the ends of a cluster write, and has no other header of theirs. */
export const OWN_HEADER = 'Sbx-Own';
/**
 * Of what the broker sends out of a stream when it is asked for it. The second header that it adds: where
 * those of the message do not end as they should, the first is taken for a part of the last of them.
 */
export const ANSWER_HEADER = 'Nats-Subject';

/** Attempts of one job. */
export const ATTEMPTS_MAX = 100;

/** Throws `InvalidOptionsError`. */
export function checkName(field: string, value: unknown, form: RegExp): asserts value is string {
  if (typeof value === 'string' && form.test(value)) return;
  const length = form === TENANT ? 64 : 128;
  const expected = `must be 1 to ${length} characters of A-Z, a-z, 0-9, _ and -`;
  const rule = typeof value === 'string' ? 'format' : 'type';
  throw new InvalidOptionsError({ field, rule, expected, got: JSON.stringify(value)?.slice(0, 80) ?? null });
}

interface NumberBounds {
  min: number;
  max: number;
  isWhole?: boolean;
}

/** Throws `InvalidOptionsError`. */
export function checkNumber(field: string, value: unknown, bounds: NumberBounds): void {
  const { min, max, isWhole = false } = bounds;
  const isIn = typeof value === 'number' && value >= min && value <= max;
  if (isIn && (!isWhole || Number.isInteger(value))) return;
  const expected = `must be ${isWhole ? 'an integer' : 'a number'} from ${min} to ${max}`;
  const rule = typeof value === 'number' ? 'range' : 'type';
  throw new InvalidOptionsError({ field, rule, expected, got: String(value).slice(0, 80) });
}
