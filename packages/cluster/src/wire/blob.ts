/**
 * Contents in messages: those that are small lie in the message itself, others in the bucket of files
 * under their tenant and SHA-256.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { SHA256 } from '../names.js';

/** As large as content of a request or result may be. */
export const BLOB_BYTES_MAX = 2 ** 30;

const size = z.int().min(0).max(BLOB_BYTES_MAX);

export const blob = z.union([
  /** Offset and length in the bytes of the message. */
  z.strictObject({ at: z.tuple([size, size]) }),
  z.strictObject({ sha256: z.string().regex(SHA256), sizeBytes: size }),
]);

export type Blob = z.output<typeof blob>;
export type StoredBlob = Extract<Blob, { sha256: string }>;

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
