/** Messages between a living program's worker and its submitter, and the frames that carry them. */
import * as z from 'zod';
import { BrokenMessageError, decodeEnvelope, encodeEnvelope } from './envelope.js';
import { list } from './list.js';
import { usage } from './outcome.js';

const fd = z.int().min(0).max(255);
const count = z.int().min(0);

const MESSAGE = z.discriminatedUnion('kind', [
  // From the worker.
  z.strictObject({ kind: z.literal('started'), id: z.int() }),
  z.strictObject({ kind: z.literal('output'), fd }),
  z.strictObject({ kind: z.literal('output-end'), fd }),
  z.strictObject({ kind: z.literal('input-closed'), fd }),
  z.strictObject({
    kind: z.literal('usage'),
    usage: z.strictObject({ ...usage, memoryBytes: count.nullable() }),
  }),
  // From the submitter.
  z.strictObject({ kind: z.literal('input'), fd }),
  z.strictObject({ kind: z.literal('input-end'), fd }),
  z.strictObject({ kind: z.literal('output-destroy'), fd }),
  z.strictObject({ kind: z.literal('kill'), signal: z.int().min(1).max(64).nullable() }),
  z.strictObject({
    kind: z.literal('resize'),
    cols: z.int().min(0).max(65_535),
    rows: z.int().min(0).max(65_535),
  }),
]);

export type SessionMessage = z.output<typeof MESSAGE>;

const FRAME = z.strictObject({
  /** Number of the message, from 1 on; 0: there is none, this only acknowledges. */
  number: count,
  /** All messages of the other side up to this one have come. */
  received: count,
  /** Those of the other side that have been taken by whom they are for. */
  consumed: list(count, 4096),
  message: MESSAGE.nullable(),
});

export type Frame = z.output<typeof FRAME>;

export function encodeFrame(frame: Frame, bytes: Uint8Array): Uint8Array {
  return encodeEnvelope(frame, [bytes]);
}

/** Throws `BrokenMessageError`. */
export function decodeFrame(data: Uint8Array): { frame: Frame; bytes: Uint8Array } {
  const { header, bytes } = decodeEnvelope(data);
  const parsed = FRAME.safeParse(header);
  if (!parsed.success) throw new BrokenMessageError('the frame has another form');
  return { frame: parsed.data, bytes };
}
