/**
 * Memory that the kernel holds for programs and no cgroup counts: record locks, 200 bytes each, and with
 * `network: 'loopback'` connections that nobody accepts, with all that waits in them, and more
 * (native/addon/uncounted_bytes.cc). A program may have as much of it as its memory limit is; one that has
 * more is ended for it.
 *
 * What a program has is costly to find out (a file of /proc for each of its open files), so it is asked only
 * when the kernel's objects on the whole machine have grown by a step. What waits in networks is of pages,
 * and in no figure of the machine: programs with a network are asked for it now and then.
 */
import { readFileSync } from 'node:fs';
import type { Group } from '../cgroup/group.js';
import { loadNative } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';

export interface HoldingProgram {
  readonly limits: Pick<ResolvedLimits, 'memoryBytes'>;
  readonly lease: { readonly slot: { readonly spec: { readonly loopback: boolean } } };
  /** `null`: nobody knows its processes. */
  readonly group: Pick<Group, 'pids'> | null;
  endFor(cause: 'memory-limit', heldBytes: number): void;
}

/** Growth of the kernel's objects between two looks at all programs. */
const STEP_BYTES = 32 * 2 ** 20;
/** From one look at the programs with a network to the next. */
const NETWORK_EVERY_MS = 500;
/** Looks take at most such a part of the time of another thread, unless they take very long. */
const SHARE_OF_TIME = 10;
const REST_MS_MAX = 1000;

export class Uncounted {
  #leastBytes = Number.POSITIVE_INFINITY;
  #isLooking = false;
  #restUntilMs = 0;
  #networkDueMs = 0;

  /** Ends those of the programs that hold too much. Who is no longer among them has ended. */
  look(programs: ReadonlySet<HoldingProgram>): void {
    const nowMs = performance.now();
    if (this.#isLooking || nowMs < this.#restUntilMs) return;
    const hasGrown = this.#hasGrown();
    const networkIsDue = nowMs >= this.#networkDueMs;
    if (networkIsDue) this.#networkDueMs = nowMs + NETWORK_EVERY_MS;
    const chosen = [...programs].filter((program) => hasGrown || (networkIsDue && hasLoopback(program)));
    if (chosen.length === 0) return;
    this.#isLooking = true;
    void endHolders(chosen, programs).finally(() => {
      const tookMs = performance.now() - nowMs;
      this.#restUntilMs = nowMs + tookMs + Math.min(tookMs * SHARE_OF_TIME, REST_MS_MAX);
      this.#isLooking = false;
    });
  }

  /** By a step since it was least, or since this was last so. */
  #hasGrown(): boolean {
    const bytes = kernelObjectBytes();
    const hasGrown = bytes >= this.#leastBytes + STEP_BYTES;
    if (hasGrown || bytes < this.#leastBytes) this.#leastBytes = bytes;
    return hasGrown;
  }
}

/** Of the whole machine, without caches that the kernel can drop; 0 where it does not tell. */
function kernelObjectBytes(): number {
  try {
    return Number(/^SUnreclaim: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function endHolders(
  chosen: readonly HoldingProgram[],
  living: ReadonlySet<HoldingProgram>,
): Promise<void> {
  for (const program of chosen) {
    const { memoryBytes } = program.limits;
    if (memoryBytes === null || !living.has(program)) continue;
    const pids = program.group?.pids() ?? [];
    const wanted = { pids, network: hasLoopback(program), enough: memoryBytes };
    const heldBytes = await loadNative().native.countUncounted(wanted);
    if (heldBytes > memoryBytes && living.has(program)) program.endFor('memory-limit', heldBytes);
  }
}

function hasLoopback({ lease }: HoldingProgram): boolean {
  return lease.slot.spec.loopback;
}
