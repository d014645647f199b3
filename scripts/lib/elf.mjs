// What a 64-bit binary of ours asks of the machine it is loaded on, read from its bytes: no binutils needed.
import { readFileSync } from 'node:fs';

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const MACHINES = { 62: 'x86_64', 183: 'aarch64' };

/**
 * The newest version of a library's symbols that a file names, such as `GLIBC` → [2, 28]; null when it names
 * none.
 */
export function newestSymbolVersion(file, prefix) {
  const text = readFileSync(file).toString('latin1');
  const versions = [...text.matchAll(new RegExp(`\\0${prefix}_(\\d+)\\.(\\d+)`, 'g'))];
  const sorted = versions
    .map((match) => [Number(match[1]), Number(match[2])])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return sorted.at(-1) ?? null;
}

/** Those of `names` that a file names, as symbols or otherwise. */
export function namedIn(file, names) {
  const text = readFileSync(file).toString('latin1');
  return names.filter((name) => text.includes(`\0${name}\0`));
}

const word = (bytes, at) => Number(bytes.readBigUInt64LE(at));

function segmentsOf(bytes) {
  const table = word(bytes, 32);
  const size = bytes.readUInt16LE(54);
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = table + index * size;
    const [offset, address, , fileBytes] = [8, 16, 24, 32].map((field) => word(bytes, at + field));
    return { type: bytes.readUInt32LE(at), offset, address, fileBytes };
  });
}

/** Whether an executable asks for a dynamic loader. */
export function isDynamic(file) {
  return segmentsOf(readFileSync(file)).some(({ type }) => type === PT_INTERP);
}

/** `x86_64`, `aarch64`, or the number of another. */
export function machineOf(file) {
  const number = readFileSync(file).readUInt16LE(18);
  return MACHINES[number] ?? String(number);
}

/** The shared libraries that a file is loaded with. */
export function neededLibraries(file) {
  const bytes = readFileSync(file);
  const segments = segmentsOf(bytes);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = Array.from({ length: dynamic.fileBytes / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: word(bytes, at), value: word(bytes, at + 8) };
  });
  const address = entries.find(({ tag }) => tag === DT_STRTAB).value;
  const holder = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.fileBytes,
  );
  const strings = holder.offset + address - holder.address;
  return entries
    .filter(({ tag }) => tag === DT_NEEDED)
    .map(({ value }) => bytes.toString('latin1', strings + value, bytes.indexOf(0, strings + value)));
}
