/**
 * The cgroup of a slot, which outlives the sandboxes. It is kept only while the next sandbox cannot see the
 * last one's marks in it: high-water marks that do not start again, caches that are still charged to it. Else
 * the slot gets another one.
 */
import type { Group } from '../cgroup/group.js';
import type { CgroupTree } from '../cgroup/tree.js';
import type { CounterFds, EndedMessage } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';

/**
 * Memory of earlier sandboxes that may still be charged to a group; with more, the next sandbox would have
 * too high a limit by it and gets another group.
 */
const RESIDUE_BYTES_MAX = 2 ** 20;
/**
 * With a lower limit the creation of the next sandbox might fail: the memory of the last one is uncharged
 * late.
 */
const CREATION_BYTES = 8 * 2 ** 20;

/** Limits that hold for all of a sandbox. */
export type CpuLimits = Pick<ResolvedLimits, 'cpuRate' | 'cpuWeight' | 'cpuSet'>;
const NO_CPU_LIMITS: CpuLimits = { cpuRate: null, cpuWeight: null, cpuSet: null };

/** Limits of a group; `null`: none. */
export interface GroupLimits {
  memoryBytes: number | null;
  tasks: number | null;
}

/** What the keeper is told of a group. `folder`: of a v2 group, or -1. */
export type GroupOrder = CounterFds & { joins: readonly number[]; folder: number };

export class SlotCgroup {
  /** `null` without cgroups, and until the keeper stands. */
  group: Group | null = null;
  /** CPU limits that the group has. */
  cpuLimits: CpuLimits = NO_CPU_LIMITS;
  /** v1: a group of `cpuset`, made when a program first asks. */
  cpuSetGroup: Promise<Group> | null = null;
  #writtenLimits: GroupLimits | null = null;
  /** The next sandbox would see what the last one left, or has no room below a limit that may be there. */
  #isMarked = false;
  /** Memory charged to the group when its first sandbox was ready; `null` until then. */
  #firstHeldBytes: number | null = null;
  /** Former groups on their way out. */
  readonly #removals = new Set<Promise<void>>();
  readonly #tree: CgroupTree | null;
  readonly #uidBase: number;

  constructor(tree: CgroupTree | null, uidBase: number) {
    this.#tree = tree;
    this.#uidBase = uidBase;
  }

  /** Tasks of the helper in the group: init, and with v1 the keeper. */
  get helperTasks(): number {
    return this.group?.layout.version === 'v1' ? 2 : 1;
  }

  /** Init died before its time: nothing is known of what it left in the group. */
  noteLoss(): void {
    this.#isMarked = true;
  }

  /** Looks at the marks that a program left in the group. */
  noteEnd({ taskPeak, oomKillCount }: EndedMessage): void {
    if (taskPeak !== null && taskPeak > this.helperTasks + 1) this.#isMarked = true;
    if (oomKillCount > 0 || this.#tree?.resetsPeak === false) this.#isMarked = true;
  }

  /** Limits that were written last, so that equal ones are not written again; `null`: they are not known. */
  get writtenLimits(): GroupLimits | null {
    return this.#writtenLimits;
  }

  /** These will be written now. */
  noteLimits(limits: GroupLimits): void {
    this.#writtenLimits = limits;
    if (limits.memoryBytes !== null && limits.memoryBytes < CREATION_BYTES) this.#isMarked = true;
  }

  /**
   * Limits have to be written again: writing them failed, or a start did, perhaps before or while they were
   * written.
   */
  forgetLimits(): void {
    this.#writtenLimits = null;
  }

  /** Whether the slot needs a group, or another one, before its next sandbox is made. */
  get mustBeMade(): boolean {
    if (this.#tree === null) return false;
    return this.group === null || this.#isMarked;
  }

  /**
   * The next sandbox stands, and no process of the last one is left. `false`: the group holds so much beyond
   * what such a sandbox takes that the limit of the next program would be higher by it.
   */
  holdsLittle(heldBytes: number | null): boolean {
    if (heldBytes === null) return true;
    this.#firstHeldBytes ??= heldBytes;
    return heldBytes - this.#firstHeldBytes <= RESIDUE_BYTES_MAX;
  }

  /**
   * Makes a group in the place of the one before. `send` gives it to the keeper; `isEnded`: the slot has
   * ended while it was made.
   */
  async make(send: (order: GroupOrder) => void, isEnded: () => boolean): Promise<void> {
    const old = this.group;
    const group = await this.#tree!.makeGroup(this.#uidBase);
    if (isEnded()) return void (await group.remove());
    this.group = group;
    this.#writtenLimits = null;
    this.#isMarked = false;
    this.#firstHeldBytes = null;
    this.cpuLimits = NO_CPU_LIMITS;
    // v1: the keeper moves, and inits are born where it is. v2: they are born in the folder, the keeper stays
    // in a group of its own.
    const joins = group.layout.version === 'v1' ? group.joins : old === null ? this.#tree!.keeperJoins : [];
    try {
      send({ ...group.fds, joins, folder: group.folderFd });
    } finally {
      if (old !== null) this.#discard(old);
    }
  }

  /** Resolves when everything is removed. No process of the slot may be left. */
  async remove(): Promise<void> {
    if (this.group !== null) this.#discard(this.group);
    await Promise.all(this.#removals);
    const cpuSetGroup = await this.cpuSetGroup?.catch(() => null);
    await cpuSetGroup?.remove();
  }

  #discard(group: Group): void {
    const removal = this.#tree!.retire(group).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}
