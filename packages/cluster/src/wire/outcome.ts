/** What came of a job, as it travels: results of programs, or the error of the engine that was to run it. */
import { FEATURES, STATUSES } from '@sbx/core';
import * as z from 'zod';
import { blob } from './blob.js';

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
  outputs: z.array(z.tuple([z.int().min(0).max(255), output])).max(256),
  usage: z.strictObject({
    cpuTimeMs: number,
    wallTimeMs: number,
    memoryPeakBytes: orNull,
    fileCacheBytes: orNull,
    processPeakCount: orNull,
  }),
  files: z.array(z.tuple([path, z.strictObject({ blob, mode: number, sizeBytes: number })])).max(65_536),
  fileErrors: z
    .array(
      z.strictObject({
        path,
        code: z.enum(['not-found', 'not-regular', 'too-large', 'outside', 'denied', 'io']),
        message: text,
        errno: number.optional(),
        sizeBytes: number.optional(),
      }),
    )
    .max(65_536),
  degraded: z.array(z.strictObject({ feature: z.enum(FEATURES), reason: text })).max(64),
});

const error = z.strictObject({
  code: z.string().max(64),
  message: text,
  retryable: z.boolean(),
  details: z.record(z.string().max(256), z.unknown()),
});

/** The header of an outcome. */
export const OUTCOME = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), result }),
  z.strictObject({
    kind: z.literal('group'),
    results: z.array(result.nullable()).max(256),
    errors: z.array(error.nullable()).max(256),
    recordings: z.array(output.nullable()).max(4096),
  }),
  z.strictObject({ kind: z.literal('error'), error }),
]);

export type WireOutcome = z.output<typeof OUTCOME>;
export type WireResult = z.output<typeof result>;
export type WireError = z.output<typeof error>;
export type WireOutputData = z.output<typeof output>;
