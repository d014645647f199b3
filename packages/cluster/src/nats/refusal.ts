/**
 * A job in the queue that this worker cannot read, most likely from a submitter of another version. That one
 * waits for a record, so it gets one which says so, as far as the message's headers tell whose it is.
 */
import type { MsgHdrs } from '@nats-io/transport-node';
import { SbxError } from '@sbx/core';
import { HASH_HEADER, ID_HEADER, JOB_ID, recordKey, SHA256 } from '../names.js';
import { encodeEnvelope } from '../wire/envelope.js';
import { wireError } from '../wire/error.js';
import type { WireOutcome } from '../wire/outcome.js';
import { encodeRecord } from '../wire/record.js';

export interface Refusal {
  /** Of the record. */
  key: string;
  record: Uint8Array;
}

/** `tenant`: of the subject. `null` where nobody can be told. */
export function refusalOf(
  headers: Pick<MsgHdrs, 'get'> | undefined,
  { tenant, worker, error }: { tenant: string; worker: string; error: Error },
): Refusal | null {
  const [named, id = ''] = (headers?.get(ID_HEADER) ?? '').split('.');
  const bodyHash = headers?.get(HASH_HEADER) ?? '';
  if (named !== tenant || !JOB_ID.test(id) || !SHA256.test(bodyHash)) return null;
  const message = `The worker cannot read the job (${error.message}): its submitter is of another version. Update the older one of both.`;
  const told = wireError(new SbxError({ code: 'SBX_INTERNAL', message, retryable: true }));
  const outcome = encodeEnvelope({ kind: 'error', error: told } satisfies WireOutcome);
  const record = encodeRecord({ kind: 'done', attempt: 1, worker, bodyHash, outcome });
  return { key: recordKey(tenant, id), record };
}
