/** Outcomes to JSON as Go writes it: keys in its order, maps sorted by bytes, its escapes. */
import { isUtf8 } from 'node:buffer';
import type { ProgramResult } from '../judge/program-result.js';
import { type BufferPool, encodeChunks } from './bytes.js';

/** Text, or where something is large chunks that are made when they are asked for. */
export type Encoded = string | LargeText;
export interface LargeText {
  /** What it is made of, and keeps in memory. */
  heldBytes: number;
  chunks: Chunks;
}
export type Chunks = (pool: BufferPool) => Generator<Buffer, void>;

/** The results of one request, between other text. */
export function encodeResults(outcomes: readonly ProgramResult[], before = '', after = ''): Encoded {
  const parts: Encoded[] = [`${before}[`];
  for (const [index, outcome] of outcomes.entries()) {
    if (index > 0) add(parts, ',');
    encodeResult(outcome, parts);
  }
  add(parts, `]${after}`);
  const [first] = parts;
  if (parts.length === 1) return first!;
  return { heldBytes: parts.reduce(addHeld, 0), chunks: (pool) => inChunks(parts, pool) };
}

function addHeld(sum: number, part: Encoded): number {
  return sum + (typeof part === 'string' ? part.length : part.heldBytes);
}

/** Text joins the text before it. */
function add(parts: Encoded[], part: Encoded): void {
  const last = parts.at(-1);
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}

function* inChunks(parts: readonly Encoded[], pool: BufferPool): Generator<Buffer, void> {
  for (const part of parts) {
    if (typeof part === 'string') yield Buffer.from(part);
    else yield* part.chunks(pool);
  }
}

/** In one chunk, for a message. */
export function inOne(encoded: Encoded): string | Buffer {
  return typeof encoded === 'string' ? encoded : Buffer.concat([...encoded.chunks(Buffer.allocUnsafe)]);
}

function encodeResult(outcome: ProgramResult, parts: Encoded[]): void {
  const { status, exitStatus, error, timeNs, memoryBytes, runTimeNs, processPeak } = outcome;
  const errorPart = error === '' ? '' : `,"error":${goJson(error)}`;
  const peakPart = processPeak > 0 ? `,"procPeak":${processPeak}` : '';
  add(parts, `{"status":${goJson(status)},"exitStatus":${exitStatus}${errorPart}`);
  add(parts, `,"time":${timeNs},"memory":${memoryBytes},"runTime":${runTimeNs}${peakPart}`);
  if (outcome.files.size > 0) {
    for (const [index, [name, bytes]] of sortedEntries(outcome.files).entries()) {
      add(parts, `${index === 0 ? ',"files":{' : ','}${goJson(name)}:`);
      add(parts, encodeBytes(bytes));
    }
    add(parts, '}');
  }
  if (outcome.fileIds.size > 0) add(parts, `,"fileIds":${encodeMap(outcome.fileIds, goJson)}`);
  if (outcome.fileErrors.length > 0) add(parts, `,"fileError":${encodeFileErrors(outcome)}`);
  add(parts, '}');
}

function encodeFileErrors({ fileErrors }: ProgramResult): string {
  const errors = fileErrors.map(
    ({ name, type, message }) =>
      `{"name":${goJson(name)},"type":"${type}","message":${goJson(message ?? '')}}`,
  );
  return `[${errors.join(',')}]`;
}

/** An object with its keys in the order of their bytes. */
export function encodeMap<T>(map: ReadonlyMap<string, T>, encode: (value: T) => string): string {
  const entries = sortedEntries(map).map(([key, value]) => `${goJson(key)}:${encode(value)}`);
  return `{${entries.join(',')}}`;
}

function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  const entries = [...map];
  if (entries.length > 2) return entries.sort(([a], [b]) => byteOrder(a, b));
  // Most often stdout and stderr.
  return entries.length === 2 && byteOrder(entries[0]![0], entries[1]![0]) > 0 ? entries.reverse() : entries;
}

/**
 * Order of strings by the bytes of their UTF-8, which is by code points, as Go sorts them. Makes no bytes: it
 * is in every answer.
 */
function byteOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Surrogates stand for the code points beyond all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** As encoding/json writes a string. */
export function goJson(text: string): string {
  if (isSimple(text)) return `"${text}"`;
  return JSON.stringify(text).replace(ESCAPED, escapeUnicode);
}

/** By character of ASCII, 1 for what stands for itself in a string. */
const SELF = Uint8Array.from({ length: 128 }, (_, code) =>
  code < 0x20 || '"\\<>&'.includes(String.fromCharCode(code)) ? 0 : 1,
);

/**
 * ASCII with nothing to escape in it. A loop, since most are short: a regular expression is one thing more to
 * find its way back into the caches.
 */
function isSimple(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 || SELF[code] === 0) return false;
  }
  return true;
}

function escapeUnicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Below, the engine's own functions are quicker. */
const LARGE_BYTES = 4096;

/** Bytes as a JSON string; each byte that is not UTF-8 is the text `\ufffd`, a real U+FFFD stays as it is. */
export function encodeBytes(bytes: Uint8Array): Encoded {
  if (bytes.byteLength === 0) return '""';
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length <= LARGE_BYTES && isUtf8(buffer)) return goJson(buffer.toString('utf8'));
  return { heldBytes: buffer.length, chunks: (pool) => encodeChunks(buffer, pool) };
}
