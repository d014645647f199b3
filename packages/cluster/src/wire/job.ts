/** A job in the queue. */
import * as z from 'zod';
import type { QueuedJob } from '../links.js';
import { ATTEMPTS_MAX, JOB_ID, SHA256, TENANT } from '../names.js';
import type { TraceHeaders } from '../tracing/trace-context.js';
import { BrokenMessageError, decodeEnvelope, encodeEnvelope } from './envelope.js';

const JOB = z.strictObject({
  id: z.string().regex(JOB_ID),
  tenant: z.string().regex(TENANT),
  maxAttempts: z.int().min(1).max(ATTEMPTS_MAX),
  submitter: z.string().regex(JOB_ID),
  orphanGraceMs: z
    .number()
    .min(0)
    .max(2 ** 31),
  bodyHash: z.string().regex(SHA256),
});

export function encodeJob({ body, ...job }: QueuedJob): Uint8Array {
  const { id, tenant, maxAttempts, submitter, orphanGraceMs, bodyHash } = job;
  return encodeEnvelope({ id, tenant, maxAttempts, submitter, orphanGraceMs, bodyHash }, [body]);
}

/**
 * `tenant`: as of the subject, which permissions stand on; `trace`: of the message's headers. Throws
 * `BrokenMessageError`.
 */
export function decodeJob(message: Uint8Array, tenant: string, trace: TraceHeaders | null): QueuedJob {
  const { header, bytes } = decodeEnvelope(message);
  const parsed = JOB.safeParse(header);
  if (!parsed.success) throw new BrokenMessageError('the job has another form');
  if (parsed.data.tenant !== tenant)
    throw new BrokenMessageError('the job is of another tenant than its subject');
  return Object.assign(parsed.data, { trace, body: bytes });
}
