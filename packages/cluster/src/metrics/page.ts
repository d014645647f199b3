/** Figures as Prometheus reads them (text format 0.0.4). No label has a value that a job chooses. */
import type { Histogram } from './histogram.js';

interface Named {
  name: string;
  help: string;
}

/** `by`: one figure for each value of a label. */
export type Family =
  | (Named & { kind: 'counter' | 'gauge'; value: number })
  | (Named & { kind: 'counter' | 'gauge'; label: string; by: Readonly<Record<string, number>> })
  | (Named & { kind: 'histogram'; histogram: Histogram });

export function pageOf(families: readonly Family[]): string {
  return families.map((family) => `${textOf(family)}\n`).join('\n');
}

function textOf(family: Family): string {
  const { name, help, kind } = family;
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...linesOf(family)].join('\n');
}

function linesOf(family: Family): string[] {
  const { name } = family;
  if ('value' in family) return [`${name} ${family.value}`];
  if ('by' in family) {
    return Object.entries(family.by).map(
      ([value, figure]) => `${name}{${family.label}="${value}"} ${figure}`,
    );
  }
  const { buckets, count, sum } = family.histogram.read();
  return [
    ...buckets.map(({ bound, count }) => `${name}_bucket{le="${bound}"} ${count}`),
    `${name}_sum ${sum}`,
    `${name}_count ${count}`,
  ];
}

const counter = (name: string, help: string, value: number): Family => ({
  kind: 'counter',
  name,
  help,
  value,
});
const gauge = (name: string, help: string, value: number): Family => ({ kind: 'gauge', name, help, value });

export const families = {
  counter,
  gauge,
  histogram: (name: string, help: string, histogram: Histogram): Family => ({
    kind: 'histogram',
    name,
    help,
    histogram,
  }),
  counters: (name: string, help: string, label: string, by: Readonly<Record<string, number>>): Family => ({
    kind: 'counter',
    name,
    help,
    label,
    by,
  }),
};
