/** What came of a job, as it travels: results of programs, or the error of the engine that was to run it. */
import { FEATURES, STATUSES } from '@sbx/core';
import * as z from 'zod';
import { blob } from './blob.js';
import { list, names } from './list.js';

const text = z.string().max(65_536);
const number = z.number();
const orNull = z.number().nullable();
const path = z.string().max(4096);

const output = z.strictObject({ blob, totalBytes: z.number().min(0) });

const result = z.strictObject({
  status: z.enum(STATUSES),
  evidence: text,
  exitCode: orNull,
  exitSignal: z.string().max(64).nullable(),
  stdout: output,
  stderr: output,
  outputs: list(z.tuple([z.int().min(0).max(255), output]), 256),
  usage: z.strictObject({
    cpuTimeMs: number,
    wallTimeMs: number,
    memoryPeakBytes: orNull,
    fileCacheBytes: orNull,
    processPeakCount: orNull,
  }),
  files: list(z.tuple([path, z.strictObject({ blob, mode: number, sizeBytes: number })]), 65_536),
  fileErrors: list(
    z.strictObject({
      path,
      code: z.enum(['not-found', 'not-regular', 'too-large', 'outside', 'denied', 'io']),
      message: text,
      errno: number.optional(),
      sizeBytes: number.optional(),
    }),
    65_536,
  ),
  degraded: list(z.strictObject({ feature: z.enum(FEATURES), reason: text }), 64),
});

const error = z.strictObject({
  code: z.string().max(64),
  message: text,
  retryable: z.boolean(),
  details: names(z.unknown(), 1024, 256),
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
