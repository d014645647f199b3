/**
 * Checks of what callers pass, before anything is started. Ranges of limits and formats of files are core's
 * to check.
 */
import { DEFAULT_LIMITS, InvalidOptionsError, type Limits, nearestName } from '@sbx/core';
import type { Artifact, CompileOptions, RunArtifactOptions, RunCodeOptions } from './types.js';

export type Check = (value: unknown, field: string) => void;
export type Checks<T> = Record<keyof T & string, Check>;

export const anything: Check = () => {};
export const text: Check = (value, field) => {
  if (typeof value !== 'string') throw wrongType(field, 'must be a string', value);
};
export const record: Check = (value, field) => {
  if (!isRecord(value)) throw wrongType(field, 'must be a plain object', value);
};
export const texts: Check = (value, field) => {
  if (!Array.isArray(value)) throw wrongType(field, 'must be an array of strings', value);
  for (const [index, item] of value.entries()) text(item, `${field}[${index}]`);
};

/** A relative name without folders that no program takes for a flag. */
export const plainFileName: Check = (value, field) => {
  text(value, field);
  if (!/^[^-./\0][^/\0]*$/u.test(value as string)) {
    const expected = 'must be a file name without folders that does not start with "-" or "."';
    throw new InvalidOptionsError({ field, rule: 'format', expected, got: JSON.stringify(value) });
  }
};

/**
 * Known limits with numbers or `null`. Core checks the ranges, but only when the step starts: too late for
 * the second one.
 */
export const limits: Check = (value, field) => {
  record(value, field);
  for (const [key, limit] of Object.entries(value as Limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, key))
      refuseUnknown(key, Object.keys(DEFAULT_LIMITS), `${field}.${key}`);
    if (limit === undefined || limit === null || (key === 'cpuSet' && typeof limit === 'string')) continue;
    if (typeof limit === 'number' && limit >= 0 && Number.isFinite(limit)) continue;
    const expected = key === 'cpuSet' ? 'must be a string or null' : 'must be a number from 0, or null';
    throw wrongType(`${field}.${key}`, expected, limit);
  }
};

const engine: Check = (value, field) => {
  if (typeof (value as { run?: unknown } | null)?.run !== 'function') {
    throw wrongType(field, 'must be an Engine', value);
  }
};

const CALL = { engine, signal: anything };
const PROGRAM = {
  args: texts,
  files: record,
  copyOut: anything,
  copyOutMaxBytes: anything,
  copyOutTotalBytes: anything,
  limits,
  env: record,
  stdin: anything,
  stdout: anything,
  stderr: anything,
  fds: anything,
  killGraceMs: anything,
  onStdout: anything,
  onStderr: anything,
  network: anything,
  seccomp: anything,
  seccompAction: anything,
  seccompFamily: anything,
};
const COMPILE: Checks<CompileOptions> = {
  ...CALL,
  language: text,
  code: text,
  fileName: plainFileName,
  files: record,
  limits,
  env: record,
};
const ARTIFACT: Checks<Artifact> = { language: text, source: text, files: record };
const RUN_ARTIFACT: Checks<RunArtifactOptions> = { ...CALL, ...PROGRAM };
const RUN_CODE: Checks<RunCodeOptions> = {
  ...CALL,
  ...PROGRAM,
  language: text,
  code: text,
  fileName: plainFileName,
  compileLimits: limits,
};

export function validateCompile(options: CompileOptions): void {
  validate(options, COMPILE, ['language', 'code']);
}
export function validateRunArtifact(artifact: Artifact, options: RunArtifactOptions): void {
  if (typeof artifact === 'object' && artifact !== null && 'artifact' in artifact) {
    const expected = 'must be an artifact, not the whole of what compile gave';
    const hint = 'Give compilation.artifact, when compilation.ok.';
    throw new InvalidOptionsError({ field: 'artifact', rule: 'type', expected, hint });
  }
  validate(artifact, ARTIFACT, ['language', 'source', 'files'], 'artifact');
  validate(options, RUN_ARTIFACT, []);
}
export function validateRunCode(options: RunCodeOptions): void {
  validate(options, RUN_CODE, ['language', 'code']);
}

const LIKE_CODE = "must be an object such as { language: 'python', code: '…' }";

/** Each key known, each value of the right type, each required one there. */
export function validate(
  value: object,
  checks: Readonly<Record<string, Check>>,
  required: readonly string[],
  name = 'options',
): void {
  if (!isRecord(value))
    throw wrongType(name, required.includes('code') ? LIKE_CODE : 'must be a plain object', value);
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(checks, key)) refuseUnknown(key, Object.keys(checks), `${name}.${key}`);
    if (item !== undefined) checks[key]!(item, `${name}.${key}`);
  }
  for (const key of required) {
    if ((value as Record<string, unknown>)[key] !== undefined) continue;
    throw new InvalidOptionsError({ field: `${name}.${key}`, rule: 'required', expected: 'is required' });
  }
}

const TIME_HINT = 'Give limits: { wallTimeMs } (real time) or { cpuTimeMs } (time on the CPU).';
/** Names that people bring from `child_process` and its like. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['timeout', TIME_HINT],
  ['timeoutMs', TIME_HINT],
  ['input', 'Give stdin: { text } or { bytes }.'],
  ['source', 'Did you mean code?'],
]);

/** Throws for a key that is not among `known`, and names the nearest one. */
function refuseUnknown(key: string, known: readonly string[], field: string): never {
  const near = nearestName(key, known);
  const hint =
    HINTS.get(key) ?? (near === null ? `Known are: ${known.join(', ')}.` : `Did you mean ${near}?`);
  throw new InvalidOptionsError({ field, rule: 'unknown-key', expected: 'is not a known option', hint });
}

/** The error for a value of the wrong type; only the type is told, values may be secret or huge. */
export function wrongType(field: string, expected: string, value: unknown): InvalidOptionsError {
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  return new InvalidOptionsError({
    field,
    rule: 'type',
    expected,
    got: typeof value === 'number' ? String(value) : got,
  });
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
