/** The header Range, as Go's file server reads it. */

export interface ByteRange {
  start: number;
  length: number;
}

/**
 * Each has a head of some hundred bytes in the answer. RFC 9110, section 14.2, lets a server ignore a header
 * of many small ranges; Go's has no bound.
 */
const RANGE_COUNT_MAX = 512;

/** `null`: no range, all of it. `'malformed'` and `'outside'` are both 416, told apart by Content-Range. */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange[] | null | 'malformed' | 'outside' {
  if (header === undefined || header === '') return null;
  if (!header.startsWith('bytes=')) return 'malformed';
  const ranges: ByteRange[] = [];
  let isOutside = false;
  for (const part of header.slice('bytes='.length).split(',')) {
    const text = part.trim();
    if (text === '') continue;
    const match = /^(\d*)\s*-\s*(\d*)$/.exec(text);
    if (match === null || (match[1] === '' && match[2] === '')) return 'malformed';
    if (Number(match[1]) >= 2 ** 63 || Number(match[2]) >= 2 ** 63) return 'malformed';
    const range = toRange(match[1]!, match[2]!, size);
    if (range === 'malformed') return range;
    if (range === null) isOutside = true;
    else if (ranges.push(range) > RANGE_COUNT_MAX) return null;
  }
  if (isOutside && ranges.length === 0 && size > 0) return 'outside';
  const sum = ranges.reduce((total, { length }) => total + length, 0);
  return ranges.length === 0 || sum > size ? null : ranges; // a client that asks for more than all gets all
}

function toRange(first: string, last: string, size: number): ByteRange | null | 'malformed' {
  if (first === '') {
    const length = Math.min(Number(last), size);
    return { start: size - length, length };
  }
  const start = Number(first);
  if (start >= size) return null;
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return last !== '' && Number(last) < start ? 'malformed' : { start, length: end - start + 1 };
}

export function contentRange({ start, length }: ByteRange, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}
