/** Units people think in, and those of the wire. */

/** Bytes. */
export const KIB = 2 ** 10;
/** Bytes. */
export const MIB = 2 ** 20;
/** Bytes. */
export const GIB = 2 ** 30;

/**
 * Highest number that JSON carries exactly: as a limit in ns 104 days, in bytes 8 PiB. `Infinity` becomes
 * this.
 */
export const WIRE_NUMBER_MAX = Number.MAX_SAFE_INTEGER;

const NS_PER_MS = 1e6;

/** Milliseconds to the nanoseconds of the wire, rounded. */
export function nsOfMs(ms: number): number {
  return wireNumber(ms * NS_PER_MS);
}

/** Nanoseconds of the wire to milliseconds. */
export function msOfNs(ns: number): number {
  return ns / NS_PER_MS;
}

/**
 * A whole number that JSON carries exactly. What is no number at all stays wrong, for the check of the
 * request to name it.
 */
export function wireNumber(value: number): number {
  return Math.min(Math.round(value), WIRE_NUMBER_MAX);
}
