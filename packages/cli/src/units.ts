/**
 * Durations and sizes as people write them, both ways. A number without unit is refused: too many tools
 * disagree on what it means.
 */
import { UsageError } from './usage-error.js';

const MS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['us', 0.001],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
]);

const KI = 1024;
const BYTES_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  // Single letters mean powers of 1024, as in docker, systemd and java.
  ['k', KI],
  ['kib', KI],
  ['kb', 1e3],
  ['m', KI ** 2],
  ['mib', KI ** 2],
  ['mb', 1e6],
  ['g', KI ** 3],
  ['gib', KI ** 3],
  ['gb', 1e9],
]);

/** `'1.5s'` → 1500. `what` names the flag in errors. */
export function parseDurationMs(text: string, what: string): number {
  const example = 'write a time with its unit: 500ms, 1.5s, 2m or 1h';
  return parseWithUnit(text, MS_BY_UNIT, `${what}: ${JSON.stringify(text)} is not a time; ${example}`);
}

/** `'256MiB'` → 268435456, rounded to whole bytes. */
export function parseSizeBytes(text: string, what: string): number {
  const example = 'write a size with its unit: 4096B, 64KiB, 256MiB or 1GiB';
  const message = `${what}: ${JSON.stringify(text)} is not a size; ${example}`;
  return Math.round(parseWithUnit(text, BYTES_BY_UNIT, message));
}

/** `'32'` → 32. */
export function parseCount(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${what}: ${JSON.stringify(text)} is not a whole number`);
}

/** `'0.5'` → 0.5. */
export function parseRate(text: string, what: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UsageError(`${what}: ${JSON.stringify(text)} is not a number of CPUs; write 0.5 or 2`);
}

function parseWithUnit(text: string, units: ReadonlyMap<string, number>, message: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,9})?) ?([a-z]+)$/i.exec(text);
  const factor = units.get(match?.[2]?.toLowerCase() ?? '');
  if (match === null || factor === undefined) throw new UsageError(message);
  return Number(match[1]) * factor;
}

/** 1234.5 → `'1.23 s'`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 100) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  return `${(ms / 1000).toFixed(2)} s`;
}

/** 5347737 → `'5.1 MiB'`. */
export function formatSize(bytes: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= KI && unit < names.length - 1) [value, unit] = [value / KI, unit + 1];
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${names[unit]}`;
}
