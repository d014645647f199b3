/** What the command does so that a burst of requests leaves no memory behind. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Engine, Runner } from '@sbx/core';

const MiB = 2 ** 20;
/** Of programs, from one look to the next: little enough for a pause of 10 ms to meet hardly anybody. */
const FEW = 10;
/**
 * Since garbage was last collected: enough for it to be worth while although some are still being started.
 */
const MANY = 200;

/** Of the growth that is given back, for it to be worth the while of collecting. */
const GARBAGE_GROWTH = 4;

/** When memory that nobody uses is given back to the system. */
export interface SpareMemoryOptions {
  /** So much more than the last time. Default 2 MiB. */
  growthBytes?: number;
  /** How often that is looked at; 0 or less: never. Default 5000. */
  intervalMs?: number;
}

/**
 * To be called when the server listens, for the rest of the process's life. What the allocator keeps of large
 * bodies and outputs goes back to the system. And when nothing, or after many requests little, was started
 * for a while, garbage is collected, once, which takes some 10 ms: V8 does so by itself only when requests
 * need the room, and gives memory back only some seconds after it did. A server that had been under load held
 * 97 MiB for good, and holds 72.
 */
export function spareMemory(
  engine: Engine | Runner,
  { growthBytes = 2 * MiB, intervalMs = 5000 }: SpareMemoryOptions = {},
): void {
  if (intervalMs <= 0) return;
  const collectGarbage = garbageCollector();
  let level = residentBytes() ?? 0;
  let started = engine.counters().startedTotal;
  let collectedAt = Number.NEGATIVE_INFINITY; // there is garbage of the start
  let isCompact = false;
  const look = () => {
    const held = residentBytes();
    if (held === null) return;
    const before = started;
    started = engine.counters().startedTotal;
    const isQuiet = started === before || (started - before <= FEW && started - collectedAt >= MANY);
    // Also where nothing was started: requests that never came whole leave as much.
    const hasGrown = held > level + GARBAGE_GROWTH * growthBytes;
    const isIdle = started === before;
    const collects = isQuiet && (started > collectedAt || hasGrown || (isIdle && !isCompact));
    if (collects) {
      collectGarbage(isIdle);
      isCompact = isIdle;
      collectedAt = started;
    }
    const now = residentBytes() ?? held;
    if (collects || now > level + growthBytes) {
      if ('trimMemory' in engine) engine.trimMemory();
      level = residentBytes() ?? now; // what is left is in use
    } else level = Math.min(level, now);
  };
  setInterval(look, intervalMs).unref();
}

/** `null` while the process has no descriptor left to read it by. */
function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

/**
 * `gc`, without the flag `--expose-gc` on Node's command line: only contexts made after the setting have it.
 * When it is to compact, pages of the heap that are not full are emptied into others, which V8 does by itself
 * for hardly any: a tenth of what a server holds at rest. That takes twice as long, so not while somebody may
 * wait.
 */
function garbageCollector(): (compacts: boolean) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return (compacts) => {
    if (compacts) setFlagsFromString('--compact-on-every-full-gc');
    collect();
    setFlagsFromString('--no-compact-on-every-full-gc');
  };
}
