/** Which limits a step gets: the caller's, over the language's, over the engine's. */
import { DEFAULT_LIMITS, type Limits } from '@sbx/core';
import type { RunEngine } from './types.js';

/**
 * The caller's limits over the language's own. The language's are lowered to the engine's ceilings, because
 * nobody asked for them; the caller's are not, so that core refuses what is too high instead of giving
 * something else.
 */
export function mergeLimits(engine: RunEngine, own: Limits = {}, asked: Limits = {}): Limits {
  const ceilings = engine.info?.().ceilings ?? {};
  return { ...lowered(own, ceilings), ...definedOnly(asked) };
}

/** The memory limit in force, for runtimes that must be told; `null`: none. */
export function memoryLimitOf(limits: Limits, engine: RunEngine): number | null {
  const layers: Limits[] = [limits, engine.info?.().limits ?? {}, DEFAULT_LIMITS];
  return layers.find(({ memoryBytes }) => memoryBytes !== undefined)!.memoryBytes as number | null;
}

function lowered(limits: Limits, ceilings: Limits): Limits {
  const entries = Object.entries(limits).map(([key, value]) => {
    const ceiling = ceilings[key as keyof Limits];
    const isAbove =
      typeof ceiling === 'number' && (value === null || (typeof value === 'number' && value > ceiling));
    return [key, isAbove ? ceiling : value];
  });
  return Object.fromEntries(entries) as Limits;
}

/** `undefined` means "default", so it must not hide one. */
function definedOnly<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
