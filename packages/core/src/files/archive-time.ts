/**
 * Times of archive entries. The header of an entry has whole seconds; a pax record has them to the
 * nanosecond.
 */
import type { TarHeader } from 'modern-tar';

/** Times up to the year 2242: a header has no room for more. What is beyond is left as it comes. */
const TIME_S_MAX = 2 ** 33;
const NS_PER_S = 1_000_000_000n;
const NS_DIGITS = 9;

const TIME_NS_MAX = (BigInt(TIME_S_MAX) - 1n) * NS_PER_S;

/**
 * What an entry says of its time. There is none in a header before 1970, nor where it ends: programs may set
 * any, and get the nearest one.
 */
export function timeFields(mtimeNs: bigint): Pick<TarHeader, 'mtime' | 'pax'> {
  const late = mtimeNs > TIME_NS_MAX ? TIME_NS_MAX : mtimeNs;
  const ns = late < 0n ? 0n : late;
  const seconds = ns / NS_PER_S;
  const mtime = new Date(Number(seconds) * 1000);
  const below = ns % NS_PER_S;
  if (below === 0n) return { mtime };
  const digits = `${below}`.padStart(NS_DIGITS, '0').replace(/0+$/, '');
  return { mtime, pax: { mtime: `${seconds}.${digits}` } };
}

/** `null` for a time that file systems do not have. */
export function timeOf({
  mtime,
  pax,
}: Pick<TarHeader, 'mtime' | 'pax'>): { seconds: number; nanoseconds: number } | null {
  const said = /^(\d{1,10})(?:\.(\d*))?$/.exec(pax?.mtime ?? '');
  const seconds = said === null ? Math.floor((mtime?.getTime() ?? Number.NaN) / 1000) : Number(said[1]);
  if (!(seconds >= 0 && seconds < TIME_S_MAX)) return null;
  const nanoseconds = Number((said?.[2] ?? '').slice(0, NS_DIGITS).padEnd(NS_DIGITS, '0'));
  return { seconds, nanoseconds };
}
