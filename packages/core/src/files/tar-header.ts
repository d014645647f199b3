/** The blocks of a tar archive that describe an entry: headers (ustar, GNU, old) and attributes (pax). */
import { isUtf8 } from 'node:buffer';
import { refuseArchive, refuseWorkspace } from './refusals.js';

export const BLOCK_BYTES = 512;

export type EntryType =
  | 'file'
  | 'link'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo';

/** What is not here is a file, as POSIX says. */
const TYPES: ReadonlyMap<string, EntryType> = new Map([
  ['1', 'link'],
  ['2', 'symlink'],
  ['3', 'character-device'],
  ['4', 'block-device'],
  ['5', 'directory'],
  ['6', 'fifo'],
]);

/** A block of the archive. `flag`: the kind of what it stands for, also of attributes. */
export interface Header {
  flag: string;
  type: EntryType;
  name: string;
  linkname: string;
  mode: number;
  /** Of the content that follows. */
  size: number;
  mtime: Date;
}

/** Attributes that count here, as they replace what headers say. */
export interface Attributes {
  name?: string;
  linkname?: string;
  size?: number;
  mtime?: string;
}

const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;
const SPACE = 0x20;
const EQUALS = 0x3d;
const NEWLINE = 0x0a;
/** Of numbers that are not in octal digits. */
const IS_BINARY = 0x80;
const IS_NEGATIVE = 0x40;
/** Digits of a record's length, and bytes of a key: more than any has that counts here. */
const LENGTH_DIGITS_MAX = 8;
const KEY_BYTES_MAX = 8;

/** Content with its holes left out, and part of a file that another archive begins: not what they say. */
const SPARSE_FLAG = 'S';
const CONTINUED_FLAG = 'M';
const SPARSE_KEYS = Buffer.from('GNU.sparse.');

export function parseHeader(block: Buffer): Header {
  if (checksumOf(block) !== octal(block, CHECKSUM_AT, CHECKSUM_BYTES))
    throw refuseArchive('a wrong checksum');
  const flag = String.fromCharCode(block[156]!);
  if (flag === SPARSE_FLAG) throw refuseSparse();
  if (flag === CONTINUED_FLAG) throw refuseArchive('a file that begins in another archive');
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    flag,
    type: TYPES.get(flag) ?? 'file',
    name: prefix === '' ? name : `${prefix}/${name}`,
    linkname: textAt(block, 157, 100),
    mode: octal(block, 100, 8),
    size: sizeOf(numberAt(block, 124, 12)),
    mtime: new Date(numberAt(block, 136, 12) * 1000),
  };
}

/** Of a long name, or up to the first NUL of a field. */
export function textAt(bytes: Buffer, at = 0, byteCount = bytes.byteLength): string {
  const field = bytes.subarray(at, at + byteCount);
  const end = field.indexOf(0);
  return textOf(end < 0 ? field : field.subarray(0, end));
}

/**
 * Records of "length key=value". Of the many that there may be, nothing is made but of those that count here.
 */
export function parseAttributes(bytes: Buffer): Attributes {
  const found: Attributes = {};
  for (let at = 0; at < bytes.byteLength; ) {
    const space = bytes.indexOf(SPACE, at);
    const end = at + recordBytes(bytes, at, space);
    const equals = bytes.indexOf(EQUALS, space + 1);
    const isWhole = end <= bytes.byteLength && bytes[end - 1] === NEWLINE && equals > space && equals < end;
    if (!isWhole) throw refuseArchive('broken attributes');
    if (SPARSE_KEYS.equals(bytes.subarray(space + 1, space + 1 + SPARSE_KEYS.byteLength)))
      throw refuseSparse();
    const isShort = equals - space <= KEY_BYTES_MAX + 1;
    if (isShort)
      note(found, bytes.toString('latin1', space + 1, equals), bytes.subarray(equals + 1, end - 1));
    at = end;
  }
  return found;
}

function note(found: Attributes, key: string, value: Buffer): void {
  switch (key) {
    case 'path':
      found.name = textOf(value);
      return;
    case 'linkpath':
      found.linkname = textOf(value);
      return;
    case 'size': {
      const size = Number(value.toString('latin1'));
      if (/^\d+$/.test(value.toString('latin1')) && Number.isSafeInteger(size)) found.size = size;
      return;
    }
    case 'mtime':
      found.mtime = value.toString('latin1');
  }
}

/** The length that a record says; 0 when it says none. */
function recordBytes(bytes: Buffer, at: number, space: number): number {
  const digits = space - at;
  if (digits < 1 || digits > LENGTH_DIGITS_MAX) return 0;
  const text = bytes.toString('latin1', at, space);
  return /^\d+$/.test(text) ? Number(text) : 0;
}

function checksumOf(block: Buffer): number {
  let sum = SPACE * CHECKSUM_BYTES;
  for (let at = 0; at < BLOCK_BYTES; at += 1)
    if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += block[at]!;
  return sum;
}

/** Two names that differ in bytes which are no text would become one. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refuseArchive('a name that is not UTF-8');
  return bytes.toString();
}

const refuseSparse = () =>
  refuseWorkspace('must be a tar archive without sparse files; make it without --sparse');

function octal(block: Buffer, at: number, byteCount: number): number {
  const field = block.toString('latin1', at, at + byteCount);
  const digits = field.split('\0', 1)[0]!.replaceAll(' ', '');
  if (!/^[0-7]*$/.test(digits)) throw refuseArchive('a wrong number');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** `NaN` for a negative one. */
function numberAt(block: Buffer, at: number, byteCount: number): number {
  const first = block[at]!;
  if ((first & IS_BINARY) === 0) return octal(block, at, byteCount);
  if ((first & IS_NEGATIVE) !== 0) return Number.NaN;
  let value = first & ~IS_BINARY;
  for (const byte of block.subarray(at + 1, at + byteCount)) value = value * 256 + byte;
  return value;
}

function sizeOf(size: number): number {
  if (!Number.isSafeInteger(size)) throw refuseArchive('a wrong size');
  return size;
}
