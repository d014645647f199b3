// Numbers of samples. Times are in ms unless a name says otherwise.

/** Nearest rank: always one of the samples, so that a p99 is something that happened. */
export function percentile(samples, percent) {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

export const p50 = (samples) => percentile(samples, 50);
export const p99 = (samples) => percentile(samples, 99);
export const sum = (samples) => samples.reduce((total, value) => total + value, 0);

/** Sample by sample: they were taken side by side, so drift of the machine is in both. */
export const pairwise = (above, below) => above.map((value, i) => value / below[i]);
