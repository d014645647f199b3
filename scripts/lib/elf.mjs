// What a binary of ours asks of the machine it is loaded on, read from its bytes: no binutils needed.
import { readFileSync } from 'node:fs';

const PT_INTERP = 3;

/** The newest version of a library's symbols that a file names, such as `GLIBC` → [2, 28]; null when it names none. */
export function newestSymbolVersion(file, prefix) {
  const text = readFileSync(file).toString('latin1');
  const versions = [...text.matchAll(new RegExp(`\\0${prefix}_(\\d+)\\.(\\d+)`, 'g'))];
  const sorted = versions
    .map((match) => [Number(match[1]), Number(match[2])])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return sorted.at(-1) ?? null;
}

/** Whether a 64-bit executable asks for a dynamic loader. */
export function isDynamic(file) {
  const bytes = readFileSync(file);
  const table = Number(bytes.readBigUInt64LE(32));
  const size = bytes.readUInt16LE(54);
  const count = bytes.readUInt16LE(56);
  const types = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(table + index * size));
  return types.includes(PT_INTERP);
}
