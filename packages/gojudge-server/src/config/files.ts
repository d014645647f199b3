/**
 * mount.yaml and seccomp.yaml as files: a missing one is none, a broken one stops the start. Without them
 * neither the YAML parser nor the schemas' messages are loaded.
 */
import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { SeccompPolicy } from '@sbx/core';
import type { ParseOptions } from 'yaml';
import * as z from 'zod/mini';
import { MOUNT_CONF, type ResolvedMountConf } from '../options.js';

/** A configuration file that cannot be used. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** `null` when there is no such file. Rejects with `ConfigError`. */
export async function readMountConf(path: string): Promise<ResolvedMountConf | null> {
  const value = await readYaml(path);
  return value === undefined ? null : parseMountConf(value ?? {}, path);
}

async function parseMountConf(value: unknown, path: string): Promise<ResolvedMountConf> {
  const rows = (value as { mount?: unknown }).mount;
  for (const row of Array.isArray(rows) ? rows : []) {
    const { type } = (row ?? {}) as { type?: unknown };
    if (type !== 'bind' && type !== 'tmpfs') throw new ConfigError(`invalid_mount_type: ${plain(type)}`);
  }
  return check(MOUNT_CONF, value, path);
}

/** `null` when there is no such file. Rejects with `ConfigError`. */
export async function readSeccompConf(path: string): Promise<SeccompPolicy | null> {
  const value = await readYaml(path, { intAsBigInt: true });
  if (value === undefined) return null;
  const { SECCOMP_CONF } = await import('./seccomp.js');
  return check(SECCOMP_CONF, value, path);
}

/** Lists and tables may be anything, themselves included. */
function plain(value: unknown): string {
  return typeof value === 'object' ? inspect(value) : String(value);
}

async function readYaml(path: string, options: ParseOptions = {}): Promise<unknown> {
  if (!existsSync(path)) return undefined;
  const { parse } = await import('yaml');
  try {
    return parse(readFileSync(path, 'utf8'), options);
  } catch (error) {
    throw new ConfigError(`${path}: ${(error as Error).message}`);
  }
}

async function check<T>(schema: z.ZodMiniType<T>, value: unknown, path: string): Promise<T> {
  const { default: english } = await import('zod/v4/locales/en.js');
  const parsed = schema.safeParse(value, { error: english().localeError });
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path}: ${z.prettifyError(parsed.error)}`);
}
