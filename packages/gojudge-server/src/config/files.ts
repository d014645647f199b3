/** mount.yaml and seccomp.yaml as files: a missing one is none, a broken one stops the start. */
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { MOUNT_CONF, type ResolvedMountConf } from '../options.js';

/** A configuration file that cannot be used. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** `null` when there is no such file. Throws `ConfigError`. */
export function readMountConf(path: string): ResolvedMountConf | null {
  const value = readYaml(path);
  return value === undefined ? null : parseMountConf(value ?? {}, path);
}

export function parseMountConf(value: unknown, path: string): ResolvedMountConf {
  const rows = (value as { mount?: unknown }).mount;
  for (const row of Array.isArray(rows) ? rows : []) {
    const { type } = (row ?? {}) as { type?: unknown };
    if (type !== 'bind' && type !== 'tmpfs') throw new ConfigError(`invalid_mount_type: ${type}`);
  }
  return check(MOUNT_CONF, value, path);
}

const ACTION = z.enum(['allow', 'errno', 'trap', 'trace', 'log', 'kill_thread', 'kill_process']);
const OPERATIONS = [
  'Equal',
  'NotEqual',
  'GreaterThan',
  'LessThan',
  'GreaterOrEqual',
  'LessOrEqual',
  'BitsSet',
  'BitsNotSet',
] as const;
const SECCOMP_CONF = z.object({
  default_action: ACTION,
  syscalls: z
    .array(
      z.object({
        action: ACTION,
        names: z.array(z.string()).nullish(),
        names_with_args: z
          .array(
            z.object({
              name: z.string(),
              arguments: z
                .array(
                  z.object({
                    argument: z.int().min(0).max(5),
                    operation: z.enum(OPERATIONS),
                    value: z.number(),
                  }),
                )
                .nullish(),
            }),
          )
          .nullish(),
      }),
    )
    .min(1),
});
/** What seccomp.yaml says. */
export type SeccompConf = z.infer<typeof SECCOMP_CONF>;

/** `null` when there is no such file. Throws `ConfigError`. */
export function readSeccompConf(path: string): SeccompConf | null {
  const value = readYaml(path);
  return value === undefined ? null : check(SECCOMP_CONF, value, path);
}

function readYaml(path: string): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path}: ${(error as Error).message}`);
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path}: ${z.prettifyError(parsed.error)}`);
}
