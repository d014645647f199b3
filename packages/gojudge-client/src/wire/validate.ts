/**
 * What a server answered, from `unknown` to the types; `null` means that it is right, text says where it is
 * not.
 */
import type { WireConfig, WireResult, WireSocketResult, WireVersion } from './types.js';

type Fields = Readonly<Record<string, 'string' | 'number' | 'boolean'>>;

const RESULT_FIELDS: Fields = {
  status: 'string',
  exitStatus: 'number',
  time: 'number',
  memory: 'number',
  runTime: 'number',
};

const FILE_ERROR_FIELDS: Fields = { name: 'string', type: 'string' };

const FEATURE_FIELDS: Fields = { copyOutOptional: 'boolean', pipeProxy: 'boolean' };
const VERSION_FIELDS: Fields = {
  buildVersion: 'string',
  os: 'string',
  platform: 'string',
  ...FEATURE_FIELDS,
};

/** Results of one request. */
export function isResults(value: unknown): value is WireResult[] {
  return Array.isArray(value) && value.every(isResult);
}

/** One result. */
export function isResult(value: unknown): value is WireResult {
  return (
    hasFields(value, RESULT_FIELDS) &&
    isAbsentOr(value.files, isTextRecord) &&
    isAbsentOr(value.fileIds, isTextRecord) &&
    isAbsentOr(value.fileError, isFileErrors) &&
    isAbsentOr(value.procPeak, (count) => typeof count === 'number') &&
    isAbsentOr(value.error, isText)
  );
}

function isFileErrors(value: unknown): boolean {
  const isFileError = (error: unknown) =>
    hasFields(error, FILE_ERROR_FIELDS) && isAbsentOr(error.message, isText);
  return Array.isArray(value) && value.every(isFileError);
}

/** An answer on `/ws` or `/stream`. */
export function isSocketResult(value: unknown): value is WireSocketResult {
  if (!isRecord(value) || typeof value.requestId !== 'string') return false;
  if (!isAbsentOr(value.error, isText)) return false;
  return value.results === null || value.results === undefined || isResults(value.results);
}

/** Answer of `GET /version`. */
export function isVersion(value: unknown): value is WireVersion {
  return hasFields(value, VERSION_FIELDS);
}

/** Answer of `GET /config`. */
export function isConfig(value: unknown): value is WireConfig {
  return isRecord(value) && isRecord(value.runnerConfig);
}

/** Names by file id. */
export function isTextRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasFields(value: unknown, fields: Fields): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  for (const name in fields) if (typeof value[name] !== fields[name]) return false;
  return true;
}

function isAbsentOr(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || check(value);
}
