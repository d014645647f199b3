/**
 * What is to be run, as it travels. Options as of `Runner.run`; contents are blobs, and what may have any
 * name is a list of pairs.
 */
import * as z from 'zod';
import { blob } from './blob.js';
import { list, names } from './list.js';

const text = z.string().max(2 ** 20);
const path = z.string().max(4096);
const count = (max: number) => z.int().min(0).max(max);
const bytes = z
  .int()
  .min(0)
  .max(2 ** 40);
const fd = count(255);

const content = { blob, seekable: z.boolean().optional() };

const input = z.union([
  z.enum(['empty', 'null', 'closed', 'pipe']),
  z.strictObject(content),
  z.strictObject({ file: path }),
]);

const capture = z.strictObject({ maxBytes: bytes, overflow: z.enum(['kill', 'discard']).optional() });

const output = z.union([
  z.enum(['capture', 'null', 'closed', 'pipe']),
  z.strictObject({ capture }),
  z.strictObject({
    file: path,
    mode: count(0o7777).optional(),
    collect: z.strictObject({ maxBytes: bytes }).optional(),
  }),
  z.strictObject({ sameAs: fd }),
]);

const file = z.union([
  z.strictObject({ blob, mode: count(0o7777).optional(), executable: z.boolean().optional() }),
  z.strictObject({ symlink: path }),
]);

const copyOut = z.union([
  path,
  z.strictObject({
    path,
    optional: z.union([z.boolean(), z.literal('any')]).optional(),
    maxBytes: bytes.optional(),
    truncate: z.boolean().optional(),
  }),
]);

const pty = z.strictObject({
  cols: count(65_535).optional(),
  rows: count(65_535).optional(),
  term: z.string().max(256).nullable().optional(),
  input: z.strictObject({ blob }).optional(),
  capture: z.strictObject({ maxBytes: bytes, overflow: z.enum(['kill', 'hangup']).optional() }).optional(),
});

/** More than the engine has. */
const LIMITS_MAX = 64;
/** By name; their ranges are the engine's. */
const limits = names(
  z.string().regex(/^[a-zA-Z]{1,32}$/),
  z.union([z.number(), z.string().max(4096), z.null()]),
  LIMITS_MAX,
);

export const program = z.strictObject({
  file: text,
  args: list(text, 65_536),
  stdin: input.optional(),
  stdout: output.optional(),
  stderr: z.union([output, z.literal('stdout')]).optional(),
  fds: list(z.tuple([fd, z.union([z.strictObject({ input }), z.strictObject({ output })])]), 256).optional(),
  pty: pty.optional(),
  env: z
    .union([
      z.strictObject({ pairs: list(z.tuple([text, text]), 65_536) }),
      z.strictObject({ strings: list(text, 65_536) }),
    ])
    .optional(),
  lookup: z.enum(['path', 'cwd-first']).optional(),
  cwd: path.optional(),
  seccompFamily: z.string().max(64).optional(),
  limits: limits.optional(),
  killGraceMs: z.number().min(0).max(86_400_000).optional(),
  files: list(z.tuple([path, file]), 65_536).optional(),
  copyOut: list(copyOut, 65_536).optional(),
  copyOutMaxBytes: bytes.optional(),
  copyOutTotalBytes: bytes.optional(),
  network: z.union([z.literal(false), z.literal('loopback')]).optional(),
  seccomp: z.enum(['default', 'strict']).optional(),
  seccompAction: z.enum(['errno', 'kill']).optional(),
});

const end = z.strictObject({ index: count(255), fd });
const drain = z.strictObject({ drain: z.boolean().optional() });

const pipe = z.strictObject({
  from: end,
  to: end,
  record: z.strictObject({ maxBytes: bytes, drain: z.boolean().optional() }).optional(),
  relay: z.union([z.literal(true), drain]).optional(),
});

/** The header of a job's body. */
export const REQUEST = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), program }),
  /** A living program; `session` names its streams. */
  z.strictObject({ kind: z.literal('spawn'), program, session: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/) }),
  z.strictObject({
    kind: z.literal('group'),
    /** `null`: not to be started, with `settle: 'each'` only. */
    programs: list(program.nullable(), 256, 1),
    pipes: list(pipe, 4096),
    settle: z.enum(['all', 'each']),
  }),
]);

export type WireRequest = z.output<typeof REQUEST>;
export type WireProgram = z.output<typeof program>;
export type WireFile = z.output<typeof file>;
export type WireInput = z.output<typeof input>;
export type WireOutput = z.output<typeof output>;
