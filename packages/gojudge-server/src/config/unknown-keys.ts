/**
 * Keys of mount.yaml that mean nothing. go-judge ignores them, and so does this server, with a warning; but a
 * key of a mount row that is a known one in another writing is refused, since the row would mean something
 * else: without `readonly` it is writable.
 */
import { nearestName } from '@sbx/core';
import { ConfigError } from './config-error.js';
import { LINK_ROW, MOUNT_CONF, MOUNT_ROW } from './mount-conf.js';

interface Place {
  /** Before the key, with the file: `mount.yaml: mount[0].`. */
  before: string;
  value: unknown;
  known: readonly string[];
  isMountRow: boolean;
}

/** A sentence for each unknown key. Throws `ConfigError` for one that a mount row must not have. */
export function unknownKeys(value: unknown, path: string): string[] {
  const { mount, symLink } = (value ?? {}) as { mount?: unknown; symLink?: unknown };
  const top = { before: `${path}: `, value, known: Object.keys(MOUNT_CONF.shape), isMountRow: false };
  const places: Place[] = [
    top,
    ...listOf(mount).map((row, index) => ({
      before: `${path}: mount[${index}].`,
      value: row,
      known: Object.keys(MOUNT_ROW.shape),
      isMountRow: true,
    })),
    ...listOf(symLink).map((row, index) => ({
      before: `${path}: symLink[${index}].`,
      value: row,
      known: Object.keys(LINK_ROW.shape),
      isMountRow: false,
    })),
  ];
  return places.flatMap(unknownOf);
}

function unknownOf({ before, value, known, isMountRow }: Place): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const where = `${before}${shown(key)}`;
    const same = known.find((name) => letters(name) === letters(key));
    if (same !== undefined && isMountRow) {
      throw new ConfigError(`${where} is not a key of a mount row; write ${same}`);
    }
    const near = same ?? nearestName(key, known);
    const meant = near === null ? `known keys are ${known.join(', ')}` : `did you mean ${near}?`;
    return `${where} is not a known key and is ignored; ${meant}`;
  });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without case and punctuation: `read_only` and `readOnly` are `readonly`. */
function letters(key: string): string {
  return key.toLowerCase().replace(/[^a-z\d]/g, '');
}

function shown(key: string): string {
  if (key.length > 64) return `${JSON.stringify(key.slice(0, 64))}…`;
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}
