/**
 * Groups that no sandbox will use again. The kernel keeps a removed group for as long as anything is charged
 * to it, and a page of a file is charged to the first group that read it until it leaves memory. Those pages
 * are worth keeping: the next program finds them there. So the last groups that hold many stay as they are;
 * older ones, and those that hold little, are emptied before they are removed. However many groups programs
 * use up, the kernel never has to keep more than that.
 */
import { numberOf } from './counters.js';
import type { Group } from './group.js';

/** Enough for what all the languages of a judge read; a group takes some KiB per CPU. */
export const FORMER_GROUPS_MAX = 64;
/** With less a group is not worth a place. */
const WORTH_BYTES = 2 ** 20;

/** What is done with a group here. */
export type FormerGroup = Pick<Group, 'read' | 'empty' | 'keepMemoryOnly' | 'remove'>;

export class FormerGroups {
  readonly #kept: FormerGroup[] = [];

  /** Resolves when the group is kept or removed, and another one that had to make room for it. */
  async retire(group: FormerGroup): Promise<void> {
    const heldBytes = numberOf(group.read('memoryNow')) ?? 0;
    if (heldBytes < WORTH_BYTES) return emptyAndRemove(group);
    this.#kept.push(group);
    const oldest = this.#kept.length > FORMER_GROUPS_MAX ? this.#kept.shift()! : null;
    await Promise.all([group.keepMemoryOnly(), oldest === null ? null : emptyAndRemove(oldest)]);
  }

  /** Nobody will read those pages for us: they stay in memory until somebody needs the room. */
  async close(): Promise<void> {
    await Promise.all(this.#kept.splice(0).map((group) => group.remove()));
  }
}

async function emptyAndRemove(group: FormerGroup): Promise<void> {
  await group.empty();
  await group.remove();
}
