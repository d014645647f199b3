/** The limits as flags of `sbx run`: one row each feeds parser and help. */
import type { Limits } from '@sbx/core';
import { parseCount, parseDurationMs, parseRate, parseSizeBytes } from './units.js';

interface LimitFlag {
  /** As commander takes it. */
  flags: string;
  /** Where commander puts the value. */
  property: string;
  limit: keyof Limits;
  parse: (text: string, what: string) => number | string;
  description: string;
}

const text = (value: string) => value;

export const LIMIT_FLAGS = [
  {
    flags: '--cpu, --cpu-time <time>',
    property: 'cpuTime',
    limit: 'cpuTimeMs',
    parse: parseDurationMs,
    description: 'CPU time of all processes together (default 10s)',
  },
  {
    flags: '--wall, --wall-time <time>',
    property: 'wallTime',
    limit: 'wallTimeMs',
    parse: parseDurationMs,
    description: 'time from start to end (default 30s)',
  },
  {
    flags: '--memory <size>',
    property: 'memory',
    limit: 'memoryBytes',
    parse: parseSizeBytes,
    description: 'memory of all processes together (default 256MiB)',
  },
  {
    flags: '--processes <count>',
    property: 'processes',
    limit: 'processCount',
    parse: parseCount,
    description: 'processes and threads at once (default 64)',
  },
  {
    flags: '--output <size>',
    property: 'output',
    limit: 'outputBytes',
    parse: parseSizeBytes,
    description: 'stdout and stderr each (default: 1MiB with --json, else none)',
  },
  {
    flags: '--file-size <size>',
    property: 'fileSize',
    limit: 'fileBytes',
    parse: parseSizeBytes,
    description: 'any single file it writes (default 64MiB)',
  },
  {
    flags: '--open-files <count>',
    property: 'openFiles',
    limit: 'openFileCount',
    parse: parseCount,
    description: 'open files per process (default 256)',
  },
  {
    flags: '--stack <size>',
    property: 'stack',
    limit: 'stackBytes',
    parse: parseSizeBytes,
    description: 'stack of the main thread (default 64MiB)',
  },
  {
    flags: '--address-space <size>',
    property: 'addressSpace',
    limit: 'addressSpaceBytes',
    parse: parseSizeBytes,
    description: 'address space per process (default none)',
  },
  {
    flags: '--data <size>',
    property: 'data',
    limit: 'dataBytes',
    parse: parseSizeBytes,
    description: 'data segment per process (default none)',
  },
  {
    flags: '--disk <size>',
    property: 'disk',
    limit: 'diskBytes',
    parse: parseSizeBytes,
    description: 'the work folder, and /tmp (default 128MiB each)',
  },
  {
    flags: '--disk-files <count>',
    property: 'diskFiles',
    limit: 'diskFileCount',
    parse: parseCount,
    description: 'files in the work folder, and in /tmp (default 16384 each)',
  },
  {
    flags: '--cpu-rate <cpus>',
    property: 'cpuRate',
    limit: 'cpuRate',
    parse: parseRate,
    description: 'CPUs’ worth of time per second: 0.5 is half of one (default none)',
  },
  {
    flags: '--cpu-weight <weight>',
    property: 'cpuWeight',
    limit: 'cpuWeight',
    parse: parseCount,
    description: 'share of a busy CPU beside other sandboxes: 1 to 10000 (default none, as 100)',
  },
  {
    flags: '--cpu-set <list>',
    property: 'cpuSet',
    limit: 'cpuSet',
    parse: text,
    description: 'CPUs it may run on: 0-1,3 (default all)',
  },
] as const satisfies readonly LimitFlag[];

export type LimitFlagValues = Partial<Record<(typeof LIMIT_FLAGS)[number]['property'], string>>;

/** The limits that were given; `none` is `null`. */
export function limitsFrom(values: LimitFlagValues): Limits {
  const entries = LIMIT_FLAGS.flatMap(({ flags, property, limit, parse }) => {
    const value = values[property];
    if (value === undefined) return [];
    return [[limit, value === 'none' ? null : parse(value, nameOf(flags))]];
  });
  return Object.fromEntries(entries) as Limits;
}

/** The flag of a limit, by the limit's name. */
export function limitFlag(name: string): string | undefined {
  const row = LIMIT_FLAGS.find(({ limit }) => limit === name);
  return row && nameOf(row.flags);
}

function nameOf(flags: string): string {
  return flags.slice(0, flags.search(/[ ,]/));
}
