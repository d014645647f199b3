/** Options of `ClusterEngine.open`, checked; unknown ones are errors. */
import { checkOptions } from '@sbx/serving';
import { TIMER_MS_MAX } from '@sbx/shared';
import * as z from 'zod';
import { ATTEMPTS_MAX, TENANT } from '../names.js';
import type { BrokerOptions } from '../nats/connection.js';

/** Options of `ClusterEngine.open`; all but `servers` have defaults. */
export interface ClusterOptions extends BrokerOptions {
  /**
   * Whose jobs `run`, `spawn` and `runGroup` are: 1 to 64 of A-Z, a-z, 0-9, `_`, `-`. Default `'default'`.
   */
  tenant?: string | undefined;
  /**
   * Shares of tenants, by name: one of weight 2 gets two jobs through for one of weight 1. Default: 1 each.
   */
  weights?: Readonly<Record<string, number>> | undefined;
  /** Jobs that may wait in this process. Default 10 000. More are refused with `OverloadedError`. */
  queueLength?: number | undefined;
  /** Jobs of one tenant that may wait in this process. Default: `queueLength`. */
  queueLengthPerTenant?: number | undefined;
  /**
   * Workers that may try a job of `run` and `runGroup`. Default 3. `spawn` has one: its output has been seen.
   */
  maxAttempts?: number | undefined;
  /** From the call to the result, in ms. Default 3 600 000. */
  deadlineMs?: number | undefined;
  /** After how long without this process workers end its jobs, in ms; 0: never. Default 30 000. */
  orphanGraceMs?: number | undefined;
  /**
   * Bytes of all contents of one result (outputs, files, records of pipes), which are in this process's
   * memory; a worker that names more is not believed. Default 1 GiB, which is what workers send at most.
   */
  resultBytesMax?: number | undefined;
}

const count = z.int().min(0).max(10_000_000);
const ms = z.int().min(1).max(TIMER_MS_MAX);
/** One part of a subject. */
const DOMAIN = /^[A-Za-z0-9_-]+$/;
/** A subject without wildcards; those of the broker's own begin with `$`. */
const INBOX_PREFIX = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const address = z.string().min(1).max(4096);

/** What both ends of a cluster take. */
export const BROKER_SHAPE = {
  servers: z.union([address, z.array(address).min(1).max(64).readonly()], {
    error: () => 'must be the address of a NATS server, or a list of them: nats://127.0.0.1:4222',
  }),
  credentials: z.string().min(1).optional(),
  inboxPrefix: z
    .string()
    .max(128)
    .regex(INBOX_PREFIX, 'must be parts of A-Z, a-z, 0-9, _ and - with dots between them, as _INBOX_a')
    .optional(),
  jetstreamDomain: z.string().max(128).regex(DOMAIN, 'must be of A-Z, a-z, 0-9, _ and -, as hub').optional(),
  tls: z
    .strictObject({
      caFile: z.string().optional(),
      certFile: z.string().optional(),
      keyFile: z.string().optional(),
    })
    .optional(),
  replicas: z.int().min(1).max(5).optional(),
  leaseMs: ms.min(1000).optional(),
  recordMs: ms.min(10_000).optional(),
  fileMs: ms.min(60_000).optional(),
};

const OPTIONS = z.strictObject({
  ...BROKER_SHAPE,
  tenant: z.string().regex(TENANT).default('default'),
  weights: z.record(z.string().regex(TENANT), z.number().min(0.01).max(1000)).default({}),
  queueLength: count.default(10_000),
  queueLengthPerTenant: count.optional(),
  maxAttempts: z.int().min(1).max(ATTEMPTS_MAX).default(3),
  deadlineMs: ms.default(3_600_000),
  orphanGraceMs: z.int().min(0).max(TIMER_MS_MAX).default(30_000),
  resultBytesMax: z
    .int()
    .min(0)
    .max(2 ** 40)
    .default(2 ** 30),
});

export type ResolvedClusterOptions = z.output<typeof OPTIONS>;

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseClusterOptions(options: ClusterOptions): ResolvedClusterOptions {
  return checkOptions(OPTIONS, options);
}
