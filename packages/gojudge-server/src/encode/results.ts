/** Outcomes to JSON as Go writes it: keys in its order, maps sorted by bytes, its escapes. */
import { isUtf8 } from 'node:buffer';
import { sequenceLength } from '../decode/go-text.js';
import type { Outcome } from '../run/outcome.js';

/** One answer of `/run`. */
export function encodeOutcomes(outcomes: readonly Outcome[]): string {
  return `[${outcomes.map(encodeOutcome).join(',')}]`;
}

function encodeOutcome(outcome: Outcome): string {
  const { status, exitStatus, error, timeNs, memoryBytes, runTimeNs, processPeak } = outcome;
  const parts = [`"status":${goJson(status)}`, `"exitStatus":${exitStatus}`];
  if (error !== '') parts.push(`"error":${goJson(error)}`);
  parts.push(`"time":${timeNs}`, `"memory":${memoryBytes}`, `"runTime":${runTimeNs}`);
  if (processPeak > 0) parts.push(`"procPeak":${processPeak}`);
  if (outcome.files.size > 0) parts.push(`"files":${encodeMap(outcome.files, encodeBytes)}`);
  if (outcome.fileIds.size > 0) parts.push(`"fileIds":${encodeMap(outcome.fileIds, goJson)}`);
  if (outcome.fileErrors.length > 0) {
    const errors = outcome.fileErrors.map(
      ({ name, type, message }) =>
        `{"name":${goJson(name)},"type":"${type}","message":${goJson(message ?? '')}}`,
    );
    parts.push(`"fileError":[${errors.join(',')}]`);
  }
  return `{${parts.join(',')}}`;
}

/** An object with its keys in the order of their bytes. */
export function encodeMap<T>(map: ReadonlyMap<string, T>, encode: (value: T) => string): string {
  const entries = [...map].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, value]) => `${goJson(key)}:${encode(value)}`).join(',')}}`;
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** As encoding/json writes a string. */
export function goJson(text: string): string {
  return JSON.stringify(text).replace(ESCAPED, escapeUnicode);
}

function escapeUnicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Bytes as a JSON string; each byte that is not UTF-8 is the text `\ufffd`, a real U+FFFD stays as it is. */
export function encodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return goJson(buffer.toString('utf8'));
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at);
    if (length === 0) {
      if (at > from) parts.push(goJson(buffer.toString('utf8', from, at)).slice(1, -1));
      parts.push('\\ufffd');
      from = at + 1;
    }
    at += length || 1;
  }
  if (from < buffer.length) parts.push(goJson(buffer.toString('utf8', from)).slice(1, -1));
  return `"${parts.join('')}"`;
}
