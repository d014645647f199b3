/** What came of a job, as it travels: results of programs, or the error of the engine that was to run it. */
import { FEATURES, STATUSES } from '@sbx/core';
import * as z from 'zod';
import { blob } from './blob.js';
import { list, names } from './list.js';

const text = z.string().max(65_536);
/** As clients of a server may read it: whole, and not below 0. */
const count = z.int().min(0);
const path = z.string().max(4096);

/** A hundred years: in ns, as some count, it is still a number of 64 bits. */
const ms = z.number().min(0).max(3.2e12);

/** Of a program. */
export const usage = {
  cpuTimeMs: ms,
  wallTimeMs: ms,
  memoryPeakBytes: count.nullable(),
  fileCacheBytes: count.nullable(),
  processPeakCount: count.nullable(),
};

const output = z.strictObject({ blob, totalBytes: count });

const result = z.strictObject({
  status: z.enum(STATUSES),
  evidence: text,
  exitCode: count.max(255).nullable(),
  exitSignal: z
    .string()
    .regex(/^SIG[A-Z0-9+]{1,16}$/)
    .nullable(),
  stdout: output,
  stderr: output,
  outputs: list(z.tuple([z.int().min(0).max(255), output]), 256),
  usage: z.strictObject(usage),
  files: list(z.tuple([path, z.strictObject({ blob, mode: count, sizeBytes: count })]), 65_536),
  fileErrors: list(
    z.strictObject({
      path,
      code: z.enum(['not-found', 'not-regular', 'too-large', 'outside', 'denied', 'io']),
      message: text,
      errno: z.int().optional(),
      sizeBytes: count.optional(),
    }),
    65_536,
  ),
  degraded: list(z.strictObject({ feature: z.enum(FEATURES), reason: text }), 64),
});

const error = z.strictObject({
  code: z.string().max(64),
  message: text,
  retryable: z.boolean(),
  details: names(z.string().max(256), z.unknown(), 1024),
});

/** The header of an outcome. */
export const OUTCOME = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), result }),
  z.strictObject({
    kind: z.literal('group'),
    results: list(result.nullable(), 256),
    errors: list(error.nullable(), 256),
    recordings: list(output.nullable(), 4096),
  }),
  z.strictObject({ kind: z.literal('error'), error }),
]);

export type WireOutcome = z.output<typeof OUTCOME>;
export type WireResult = z.output<typeof result>;
export type WireError = z.output<typeof error>;
export type WireOutputData = z.output<typeof output>;
