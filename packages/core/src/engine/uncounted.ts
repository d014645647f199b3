/**
 * Memory that the kernel holds for programs and no cgroup counts: record locks, 200 bytes each, and with
 * `network: 'loopback'` connections that nobody accepts, with all that waits in them, and more
 * (native/addon/uncounted_bytes.cc). A program may have as much of it as its memory limit is; one that has
 * more is ended for it.
 *
 * What a program has is costly to find out (a file of /proc for each of its open files), so it is asked only
 * when the kernel's objects on the whole machine have grown by a step. What waits in networks is of pages,
 * and in no figure of the machine: programs with a network are asked for it now and then. So are those that
 * have worked since: some thousand locks of one file are little memory, but whoever closes that file, anybody
 * on the machine, has to go through them. To take them needs CPU time.
 */
import { readFileSync } from 'node:fs';
import { readCpuNs } from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import { ENOLCK } from '../native/errno.js';
import { loadNative } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';

export interface HoldingProgram {
  readonly limits: Pick<ResolvedLimits, 'memoryBytes'>;
  readonly lease: { readonly slot: { readonly spec: { readonly loopback: boolean } } };
  /** `null`: nobody knows its processes. */
  readonly group: Pick<Group, 'pids' | 'read'> | null;
  endFor(cause: 'memory-limit', heldBytes?: number): void;
}

/** Growth of the kernel's objects between two looks at all programs. */
const STEP_BYTES = 32 * 2 ** 20;
/** From one look at the programs with a network, and at those that have worked, to the next. */
const REGULAR_EVERY_MS = 500;
/** In this time a program can take some ten thousand locks of one file. */
const WORK_NS = 250e6;
/** Looks take at most such a part of the time of another thread, unless they take very long. */
const SHARE_OF_TIME = 10;
const REST_MS_MAX = 1000;

export class Uncounted {
  #leastBytes = Number.POSITIVE_INFINITY;
  #isLooking = false;
  #restUntilMs = 0;
  #regularDueMs = 0;
  /** What their groups' counters said at the last look. */
  readonly #cpuNs = new WeakMap<HoldingProgram, number>();

  /** Ends those of the programs that hold too much. Who is no longer among them has ended. */
  look(programs: ReadonlySet<HoldingProgram>): void {
    const nowMs = performance.now();
    if (this.#isLooking || nowMs < this.#restUntilMs) return;
    const hasGrown = this.#hasGrown();
    const isDue = nowMs >= this.#regularDueMs;
    if (isDue) this.#regularDueMs = nowMs + REGULAR_EVERY_MS;
    const isRegular = (program: HoldingProgram) => this.#hasWorked(program) || hasLoopback(program);
    const chosen = [...programs].filter((program) => hasGrown || (isDue && isRegular(program)));
    if (chosen.length === 0) return;
    this.#isLooking = true;
    void endHolders(chosen, programs).finally(() => {
      const tookMs = performance.now() - nowMs;
      this.#restUntilMs = nowMs + tookMs + Math.min(tookMs * SHARE_OF_TIME, REST_MS_MAX);
      this.#isLooking = false;
    });
  }

  /** Since this was last so. Of one that is seen for the first time nothing is known. */
  #hasWorked(program: HoldingProgram): boolean {
    const cpuNs = readCpuNs(program.group) ?? 0;
    if (cpuNs - (this.#cpuNs.get(program) ?? 0) < WORK_NS) return false;
    this.#cpuNs.set(program, cpuNs);
    return true;
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
    if (!living.has(program)) continue;
    const enough = program.limits.memoryBytes ?? Number.MAX_SAFE_INTEGER;
    const pids = program.group?.pids() ?? [];
    const heldBytes = await loadNative().native.countUncounted({
      pids,
      network: hasLoopback(program),
      enough,
    });
    if (!living.has(program)) continue;
    if (heldBytes === ENOLCK) program.endFor('memory-limit');
    else if (heldBytes > enough) program.endFor('memory-limit', heldBytes);
  }
}

function hasLoopback({ lease }: HoldingProgram): boolean {
  return lease.slot.spec.loopback;
}
