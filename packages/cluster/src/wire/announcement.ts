/** What a worker says of itself, again and again, as long as it works. */
import { type EngineInfo, FEATURES } from '@sbx/core';
import * as z from 'zod';
import { list, names } from './list.js';

/** Of one worker; one of 4 KiB is usual. */
export const ANNOUNCEMENT_BYTES_MAX = 256 * 1024;
/** Jobs that the queue's consumer lets all workers have at once: places beyond that stay empty. */
const PLACES_MAX = 65_536;
/** More than this version has of anything that is told by name. */
const NAMES_MAX = 64;

const text = z.string().max(1024);
const count = z.number().min(0);
const name = z.string().max(64);
const limits = names(name, z.union([z.number(), z.string().max(4096), z.null()]), NAMES_MAX);
const feature = z.strictObject({
  available: z.boolean(),
  mechanism: text.nullable(),
  reason: text.nullable(),
});

const UNTOLD = {
  available: false,
  mechanism: null,
  reason: 'its worker, of another version, tells nothing of it',
};
/**
 * A row of a root. What is nested in it is of another version, or so deep that nothing can write it again.
 */
const mount = names(name, z.unknown(), NAMES_MAX).transform((row) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => !isNested(value))),
);

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Those that this version knows: a worker may be of one that has others. */
const features = names(name, feature, NAMES_MAX).transform((told) =>
  Object.fromEntries(FEATURES.map((name) => [name, Object.hasOwn(told, name) ? told[name] : UNTOLD])),
);

const info = z.strictObject({
  version: text,
  kernel: text,
  cgroup: z.strictObject({
    version: z.enum(['v1', 'v2', 'hybrid', 'none']),
    path: text.nullable(),
    controllers: list(text, 64),
    reason: text.nullable(),
  }),
  user: z.strictObject({ mode: z.enum(['root', 'rootless']), uidBase: count.nullable() }),
  features,
  parallelism: count,
  maxSandboxes: count,
  queueLength: count,
  limits,
  ceilings: limits,
  mounts: list(mount, 1024),
});

/** Announcements of other versions are passed over. */
export const ANNOUNCEMENT = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  host: text,
  pid: count,
  slots: z.int().min(1).max(4096),
  running: count,
  isDraining: z.boolean(),
  memoryBytes: count,
  languages: list(z.strictObject({ name: text, version: text.nullable() }), 256),
  labels: names(name, z.string().max(256), NAMES_MAX),
  info,
  totals: z.strictObject({
    started: count,
    accepted: count,
    superseded: count,
    lost: count,
    cancelled: count,
  }),
  cache: z.strictObject({ bytes: count, hits: count, fetches: count, evictions: count }),
});

/** What a worker announces. */
export interface WorkerDescription {
  /** Of this form. */
  version: 1;
  /** Its name in the cluster, new with each start. */
  name: string;
  /** Its machine, as that calls itself. */
  host: string;
  /** Of its process there. */
  pid: number;
  /** Jobs at the same time. */
  slots: number;
  /** Jobs that run now. */
  running: number;
  /** It takes no more. */
  isDraining: boolean;
  /** Of its machine, or of the container around it. */
  memoryBytes: number;
  /** Those that are installed there; `version` is `null` where nobody asked. */
  languages: { name: string; version: string | null }[];
  /** Words of its operator. */
  labels: Record<string, string>;
  /** What its engine enforces. */
  info: EngineInfo;
  /**
   * Jobs since its start: begun, with an accepted result, too late for that, without an attempt left,
   * cancelled.
   */
  totals: { started: number; accepted: number; superseded: number; lost: number; cancelled: number };
  /**
   * Its cache of files: bytes that it holds; files that were there, that were fetched, that were given up.
   */
  cache: { bytes: number; hits: number; fetches: number; evictions: number };
}

/**
 * Jobs that can run at the same time: workers that drain take none. A worker may claim any number of places,
 * and what a submitter sends for them is in its memory.
 */
export function placesOf(workers: readonly WorkerDescription[]): number {
  const places = workers.reduce((sum, { slots, isDraining }) => sum + (isDraining ? 0 : slots), 0);
  return Math.min(places, PLACES_MAX);
}

export function encodeAnnouncement(announcement: WorkerDescription): Uint8Array {
  return Buffer.from(JSON.stringify(announcement));
}

/** `null` for what is none. */
export function decodeAnnouncement(message: Uint8Array): WorkerDescription | null {
  if (message.byteLength > ANNOUNCEMENT_BYTES_MAX) return null;
  try {
    const parsed = ANNOUNCEMENT.safeParse(JSON.parse(Buffer.from(message).toString('utf8')));
    return parsed.success ? (parsed.data as unknown as WorkerDescription) : null;
  } catch {
    return null;
  }
}
