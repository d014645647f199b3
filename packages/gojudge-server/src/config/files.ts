/**
 * mount.yaml and seccomp.yaml as files: a missing one is none, a broken one stops the start. Without them
 * neither the YAML parser nor the schemas' messages are loaded.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import type { SeccompPolicy } from '@sbx/core';
import type { ParseOptions } from 'yaml';
import * as z from 'zod/mini';
import { ConfigError } from './config-error.js';
import { MOUNT_CONF, type ResolvedMountConf } from './mount-conf.js';
import { unknownKeys } from './unknown-keys.js';

/** A configuration file, and what the log says of it. */
export interface Read<T> {
  /** `null` when there is no such file. */
  conf: T | null;
  warnings: string[];
}

/** Rejects with `ConfigError`. */
export async function readMountConf(path: string): Promise<Read<ResolvedMountConf>> {
  const value = await readYaml(path);
  if (value === undefined) return { conf: null, warnings: [] };
  const warnings = unknownKeys(value, path);
  const conf = await parseMountConf(value ?? {}, path);
  return { conf, warnings: [...warnings, ...missingSources(conf, path)] };
}

async function parseMountConf(value: unknown, path: string): Promise<ResolvedMountConf> {
  const rows = (value as { mount?: unknown }).mount;
  for (const [index, row] of Array.isArray(rows) ? rows.entries() : []) {
    const { type } = (row ?? {}) as { type?: unknown };
    if (type === 'bind' || type === 'tmpfs') continue;
    const got = type === undefined ? 'none' : inspect(type, { maxStringLength: 64 });
    throw new ConfigError(`${path}: mount[${index}].type must be bind or tmpfs; got ${got}`);
  }
  return check(MOUNT_CONF, value, path);
}

/** go-judge leaves such rows out without a word. */
function missingSources({ mount }: ResolvedMountConf, path: string): string[] {
  const missing = (mount ?? []).flatMap(({ type, source }, index) =>
    type === 'bind' && !existsSync(resolve(source)) ? [`mount[${index}] ${JSON.stringify(source)}`] : [],
  );
  return missing.length === 0
    ? []
    : [`${path}: left out, since the source is not on this machine: ${missing.join(', ')}`];
}

/** Rejects with `ConfigError`. */
export async function readSeccompConf(path: string): Promise<Read<SeccompPolicy>> {
  const value = await readYaml(path, { intAsBigInt: true });
  if (value === undefined) return { conf: null, warnings: [] };
  const { SECCOMP_CONF } = await import('./seccomp.js');
  return { conf: await check(SECCOMP_CONF, value, path), warnings: [] };
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
