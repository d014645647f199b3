/** mount.yaml and seccomp.yaml as files: a missing one is none, a broken one stops the start. */
import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { SeccompPolicy } from '@sbx/core';
import { type ParseOptions, parse } from 'yaml';
import { z } from 'zod';
import { MOUNT_CONF, type ResolvedMountConf } from '../options.js';
import { SECCOMP_CONF } from './seccomp.js';

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
    if (type !== 'bind' && type !== 'tmpfs') throw new ConfigError(`invalid_mount_type: ${plain(type)}`);
  }
  return check(MOUNT_CONF, value, path);
}

/** `null` when there is no such file. Throws `ConfigError`. */
export function readSeccompConf(path: string): SeccompPolicy | null {
  const value = readYaml(path, { intAsBigInt: true });
  return value === undefined ? null : check(SECCOMP_CONF, value, path);
}

/** Lists and tables may be anything, themselves included. */
function plain(value: unknown): string {
  return typeof value === 'object' ? inspect(value) : String(value);
}

function readYaml(path: string, options: ParseOptions = {}): unknown {
  if (!existsSync(path)) return undefined;
  try {
    return parse(readFileSync(path, 'utf8'), options);
  } catch (error) {
    throw new ConfigError(`${path}: ${(error as Error).message}`);
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path}: ${z.prettifyError(parsed.error)}`);
}
