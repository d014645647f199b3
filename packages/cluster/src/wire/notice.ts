/**
 * What workers tell the submitter of a job, and submitters all workers. May be lost: records are the truth.
 */
import * as z from 'zod';
import { BrokenMessageError, decodeEnvelope, encodeEnvelope } from './envelope.js';

const id = z.string().min(1).max(128);
const tenant = z.string().min(1).max(64);

const NOTICE = z.discriminatedUnion('kind', [
  /** A worker has it, and runs it. */
  z.strictObject({ kind: z.literal('leased'), tenant, id, attempt: z.int().min(1), worker: id }),
  /** A worker that got it found that it has a record already, from before this submitter asked. */
  z.strictObject({ kind: z.literal('ended'), tenant, id }),
  /** A worker asks whether the submitter still lives. */
  z.strictObject({ kind: z.literal('ping') }),
]);

export type Notice = z.output<typeof NOTICE>;

const CANCEL = z.strictObject({
  id,
  /** `'drop'`: its record says that it was cancelled. `'result'`: its submitter wants what there is of it. */
  mode: z.enum(['drop', 'result']),
});

export type Cancel = z.output<typeof CANCEL>;

export function encodeNotice(notice: Notice): Uint8Array {
  return encodeEnvelope(notice);
}

/** Throws `BrokenMessageError`. */
export function decodeNotice(message: Uint8Array): Notice {
  return parse(NOTICE, decodeEnvelope(message).header);
}

export function encodeCancel(cancel: Cancel): Uint8Array {
  return encodeEnvelope(cancel);
}

/** Throws `BrokenMessageError`. */
export function decodeCancel(message: Uint8Array): Cancel {
  return parse(CANCEL, decodeEnvelope(message).header);
}

function parse<T>(schema: z.ZodType<T>, header: unknown): T {
  const parsed = schema.safeParse(header);
  if (!parsed.success) throw new BrokenMessageError('the message has another form');
  return parsed.data;
}
