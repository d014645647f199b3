/** What the languages on Node have in common. */
import type { LanguageStep, StepContext, VersionProbe } from '../types.js';
import { MiB } from './sizes.js';

/** Around its heap, Node holds this much (measured on Node 20: 37 MiB at the start, code and young generation after). */
const AROUND_HEAP_BYTES = 32 * MiB;
const SMALLEST_HEAP_BYTES = 16 * MiB;

/** Threads: main, inspector signal, V8 and libuv pools; 7 to 12 measured on 2 CPUs. */
export const nodeLimits: LanguageStep['limits'] = { processCount: 64 };

/**
 * Inside, no file tells V8 the memory limit, so it would collect garbage too late. With the heap bounded a little below the
 * limit it collects in time, and a program that really needs more is still killed by the limit, not aborted by V8.
 */
export function heapArgs({ memoryBytes }: StepContext): string[] {
  if (memoryBytes === null) return [];
  const heapBytes = Math.max(SMALLEST_HEAP_BYTES, memoryBytes - AROUND_HEAP_BYTES);
  return [`--max-old-space-size=${Math.floor(heapBytes / MiB)}`];
}

export const nodeVersion: VersionProbe = { file: 'node', args: ['--version'], pattern: /^v(\S+)/ };
