/** What the languages on Node have in common. */
import type { LanguageStep, StepContext, VersionProbe } from '../language.js';
import { MiB } from './sizes.js';

/** Threads: main, inspector signal, V8 and libuv pools; 7 to 12 measured on 2 CPUs. */
export const nodeLimits: LanguageStep['limits'] = { processCount: 64 };

/**
 * Where no file tells V8 of a memory limit, it would collect garbage too late. Bounded to the whole limit it
 * collects in time (measured: a program may keep about half of the limit alive under heavy churn, whatever
 * the bound), and one that needs more is killed by the limit; with 8 to 32 MiB less, V8 aborted some of those
 * first, which looks like a crash. Where files tell of it, V8 does as in a cgroup of that size, without a
 * flag, which costs a start 4 ms.
 */
export function heapArgs({ memoryBytes, toldMemoryBytes }: StepContext): string[] {
  if (memoryBytes === null || toldMemoryBytes !== null) return [];
  return [`--max-old-space-size=${Math.max(8, Math.floor(memoryBytes / MiB))}`];
}

export const nodeVersion: VersionProbe = { file: 'node', args: ['--version'], pattern: /^v(\S+)/ };
