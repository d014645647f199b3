/**
 * NATS checks no permission where an answer is sent to: whoever may ask the broker for a message of its own
 * can have it sent to a subject of another tenant. The broker marks it as an answer, or leaves out all
 * headers where that was asked for. So what has a header of ours, and no mark, was written there by who may.
 */
import type { JetStreamManager, MsgRequest, StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { ANSWER_HEADER, HASH_HEADER, OWN_HEADER } from '../names.js';

/** `isDirect`: any server that has the stream may be asked, and not only its leader. */
export function storedMessage(
  { direct, streams }: Pick<JetStreamManager, 'direct' | 'streams'>,
  isDirect: boolean,
  stream: string,
  query: MsgRequest,
): Promise<StoredMsg | null> {
  return isDirect ? direct.getMessage(stream, query) : streams.getMessage(stream, query);
}

type Headers = Pick<MsgHdrs, 'has' | 'values'> | undefined;

/** Of what has no other header of ours. */
export const OWN_HEADERS = headers();
OWN_HEADERS.set(OWN_HEADER, '1');

/** A job that came from the queue. */
export function isSentJob(of: Headers): boolean {
  return of?.has(HASH_HEADER) === true && !of.has(ANSWER_HEADER);
}

/** A message that came by its subject. */
export function isSent(of: Headers): boolean {
  return of?.has(OWN_HEADER) === true && !of.has(ANSWER_HEADER);
}

/**
 * What the broker answered with. `isDirect`: any server that has it was asked, and one of the marks is of
 * that very answer.
 */
export function isStoredAnswer(of: Headers, isDirect: boolean): boolean {
  return (of?.values(ANSWER_HEADER).length ?? 0) > (isDirect ? 1 : 0);
}
