/**
 * Figures and reports, in the shape that every benchmark of the project prints. `value` is what the bar is
 * about; `p50` and `p99` are those of the samples behind it. A figure without a bar has `bar: null` and
 * holds.
 */
import { machineFacts } from './machine.mjs';
import { p50, p99, pairwise, sum } from './stats.mjs';

export function figure({ name, unit, samples, value = p50(samples), bar = null, better = 'less' }) {
  const holds = bar === null || (better === 'less' ? value <= bar : value >= bar);
  return {
    name,
    value,
    unit,
    bar,
    better,
    holds,
    samples: samples.length,
    p50: p50(samples),
    p99: p99(samples),
  };
}

/** A row for what could not be measured here; `why` is its sentence. */
export function skipped({ name, unit, why }) {
  return { ...figure({ name, unit, samples: [] }), value: null, p50: null, p99: null, skipped: why };
}

/**
 * Ratio of one percentile of `above` to that of `below`; its samples are the ratios of samples taken side by
 * side.
 */
export function ratioOf(pick, { name, above, below, bar }) {
  const samples = pairwise(above, below);
  return figure({ name, unit: 'ratio', samples, value: pick(above) / pick(below), bar });
}

/** Ratio of rates: total work by total time of each, samples per round. `rounds`: lists of { runs, ms }. */
export function rateRatio({ name, above, below, bar }) {
  const rate = (rounds) => sum(rounds.map((round) => round.runs)) / sum(rounds.map((round) => round.ms));
  const rates = (rounds) => rounds.map((round) => round.runs / round.ms);
  const samples = pairwise(rates(above), rates(below));
  return figure({ name, unit: 'ratio', samples, value: rate(above) / rate(below), bar, better: 'more' });
}

export function makeReport(bench, figures) {
  return { bench, ...machineFacts(), figures };
}

export const missedFigures = (report) => report.figures.filter((row) => !row.holds);
