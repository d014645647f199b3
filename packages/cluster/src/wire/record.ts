/** How a job ended. The first record under its key holds, and nobody ever changes it. */
import * as z from 'zod';
import { BrokenMessageError, decodeEnvelope, encodeEnvelope } from './envelope.js';

const attempt = z.int().min(0).max(1_000_000);
const name = z.string().max(128);

const RECORD = z.strictObject({
  /**
   * `done`: a worker carried it out, whatever came of it. `lost`: no attempt is left. `cancelled`: a
   * submitter gave it up, and is named as `worker`.
   */
  kind: z.enum(['done', 'lost', 'cancelled']),
  /** The fence: which delivery of the job this is the end of. */
  attempt,
  worker: name,
  bodyHash: name,
});

export type RecordHeader = z.output<typeof RECORD>;

export interface JobRecord extends RecordHeader {
  /** Of `done`: the result, for the engine. Else empty. */
  outcome: Uint8Array;
}

export function encodeRecord({ outcome, ...header }: JobRecord): Uint8Array {
  return encodeEnvelope(header, [outcome]);
}

/** Throws `BrokenMessageError`. */
export function decodeRecord(message: Uint8Array): JobRecord {
  const { header, bytes } = decodeEnvelope(message);
  const parsed = RECORD.safeParse(header);
  if (!parsed.success) throw new BrokenMessageError('the record has another form');
  return Object.assign(parsed.data, { outcome: bytes });
}
