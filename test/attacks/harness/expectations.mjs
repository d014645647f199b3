// What else must hold of an outcome: values for `says`.
import { CONDITIONS, MiB } from './conditions.mjs';
import { paced } from './pace.mjs';

export const memoryWithin = (mebibytes) => (one) =>
  one.memory <= mebibytes * MiB
    ? []
    : [`${(one.memory / MiB).toFixed(1)} MiB instead of at most ${mebibytes}`];

/** The kernel charges in batches per CPU, which is some 300 KiB of a peak (docs/limits.md). */
export const memoryFrom = (mebibytes) => (one) =>
  one.memory >= mebibytes * MiB * 0.99
    ? []
    : [`${(one.memory / MiB).toFixed(1)} MiB instead of at least ${mebibytes}`];

export const procsWithin = (count) => (one) =>
  one.procPeak === null || one.procPeak <= count ? [] : [`${one.procPeak} processes`];

/** 10 ms, and a tick for each CPU. */
const CPU_SLACK_MS = 20;
const WALL_SLACK_MS = 100;

/**
 * Times at most their limits and the slack of the catalogue's entry 81. Here and below, while a CPU was away
 * (cpu-watch.mjs) nobody could do better.
 */
export const withinLimits = (one) => {
  const cpuMs = one.cpuMs - CONDITIONS.cpuMs;
  const wallMs = one.wallMs - CONDITIONS.wallMs;
  return [
    ...(cpuMs <= paced(CPU_SLACK_MS) + one.awayMs
      ? []
      : [`${cpuMs.toFixed(1)} ms of CPU time above the limit`]),
    ...(wallMs <= paced(WALL_SLACK_MS) + one.awayMs ? [] : [`${wallMs.toFixed(1)} ms above the wall limit`]),
  ];
};

export const cpuBetween = (low, high) => (one) =>
  one.cpuMs >= low && one.cpuMs <= paced(high) + one.awayMs
    ? []
    : [`${one.cpuMs.toFixed(1)} ms of CPU time, not ${low} to ${high}`];

/** The time limit that ended it was reached: CPU time, or on a busy machine the clock first. */
export const timeSpent = (one) =>
  one.cpuMs >= CONDITIONS.cpuMs - 10 || one.wallMs >= CONDITIONS.wallMs
    ? withinLimits(one)
    : [`ended after ${one.cpuMs.toFixed(1)} ms of CPU time and ${one.wallMs.toFixed(1)} ms`];

export const wallBetween = (low, high) => (one) =>
  one.wallMs >= low && one.wallMs <= paced(high) + one.awayMs
    ? []
    : [`${one.wallMs.toFixed(1)} ms, not ${low} to ${high}`];

/** Every number that the pattern finds in what it printed. */
export const atMost = (pattern, most) => (one) =>
  [...one.stdout.matchAll(new RegExp(pattern, 'g'))]
    .filter(([, number]) => Number(number) > most)
    .map(([text]) => `${text}, more than ${most}`);

/** Kept output is bounded by its limit and one byte. */
export const outputBounded = (one) =>
  Math.max(one.stdoutBytes, one.stderrBytes) <= CONDITIONS.outputBytes + 1
    ? []
    : [`${one.stdoutBytes} and ${one.stderrBytes} bytes of output`];

export const all =
  (...checks) =>
  (one, context) =>
    checks.flatMap((check) => check(one, context) ?? []);
