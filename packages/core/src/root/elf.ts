/**
 * The files that a program needs to start: read from its first bytes and, of ELF files, its dynamic section.
 * Pure but for reading.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** The loader and libraries that a file asks for. */
export type Needs =
  | { kind: 'elf'; interpreter: string | null; libraries: string[]; folders: string[]; machine: string }
  | { kind: 'script'; interpreter: string }
  | { kind: 'other' };

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_RPATH = 15;
const DT_RUNPATH = 29;
/** Sections that are larger are not of a program that anybody linked. */
const SECTION_BYTES_MAX = 2 ** 20;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;

/** 64-bit little-endian ELF files and scripts; all others are `'other'`. */
export function needsOf(path: string): Needs {
  const file = openSync(path, 'r');
  try {
    const head = readAt(file, 0, 256);
    if (head.subarray(0, 2).toString('latin1') === '#!') return scriptNeeds(head);
    const isElf = head.length >= HEADER_BYTES && head.readUInt32BE(0) === 0x7f454c46;
    if (!isElf || head[4] !== 2 || head[5] !== 1) return { kind: 'other' };
    return elfNeeds(file, head);
  } finally {
    closeSync(file);
  }
}

function scriptNeeds(head: Buffer): Needs {
  const [, interpreter] = /^#![ \t]*(\/[^\s\0]*)/.exec(head.toString('latin1')) ?? [];
  return interpreter === undefined ? { kind: 'other' } : { kind: 'script', interpreter };
}

interface Segment {
  type: number;
  offset: number;
  address: number;
  bytes: number;
}

function elfNeeds(file: number, head: Buffer): Needs {
  const segments = segmentsOf(file, head);
  const contentOf = (type: number) => {
    const found = segments.find((segment) => segment.type === type);
    return found === undefined ? null : readAt(file, found.offset, found.bytes);
  };
  const entries = dynamicEntries(contentOf(PT_DYNAMIC));
  const textAt = stringReader(file, segments, entries);
  const valuesOf = (tag: number) =>
    entries.filter((entry) => entry.tag === tag).map(({ value }) => textAt(value));
  const interpreter = contentOf(PT_INTERP);
  return {
    kind: 'elf',
    interpreter: interpreter === null ? null : cutAtNul(interpreter),
    libraries: valuesOf(DT_NEEDED),
    folders: [...valuesOf(DT_RUNPATH), ...valuesOf(DT_RPATH)].flatMap((list) => list.split(':')),
    machine: head.toString('hex', 18, 20),
  };
}

function segmentsOf(file: number, head: Buffer): Segment[] {
  const count = head.readUInt16LE(56);
  const table = readAt(file, Number(head.readBigUInt64LE(32)), count * SEGMENT_BYTES);
  const segments: Segment[] = [];
  for (let at = 0; at + SEGMENT_BYTES <= table.length; at += SEGMENT_BYTES) {
    const word = (offset: number) => Number(table.readBigUInt64LE(at + offset));
    segments.push({ type: table.readUInt32LE(at), offset: word(8), address: word(16), bytes: word(32) });
  }
  return segments;
}

function dynamicEntries(section: Buffer | null): { tag: number; value: number }[] {
  const entries: { tag: number; value: number }[] = [];
  for (let at = 0; section !== null && at + 16 <= section.length; at += 16) {
    const tag = Number(section.readBigUInt64LE(at));
    if (tag === 0) break;
    entries.push({ tag, value: Number(section.readBigUInt64LE(at + 8)) });
  }
  return entries;
}

/** Strings are named by an address, which lies in a segment of the file. */
function stringReader(file: number, segments: Segment[], entries: { tag: number; value: number }[]) {
  const address = entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0;
  const home = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.bytes,
  );
  return (value: number): string =>
    home === undefined ? '' : cutAtNul(readAt(file, home.offset + address - home.address + value, 4096));
}

function cutAtNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function readAt(file: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, SECTION_BYTES_MAX)));
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
}
