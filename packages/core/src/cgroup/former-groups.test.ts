import { describe, expect, it } from 'vitest';
import { FORMER_GROUPS_MAX, type FormerGroup, FormerGroups } from './former-groups.js';

const MiB = 2 ** 20;

/** A group that holds so much, and writes down what is done with it. */
function groupOf(name: string, heldBytes: number | null, done: string[]): FormerGroup {
  return {
    read: () => (heldBytes === null ? null : `${heldBytes}\n`),
    empty: async () => void done.push(`empty ${name}`),
    keepMemoryOnly: async () => void done.push(`keep ${name}`),
    remove: async () => {
      done.push(`remove ${name}`);
      return true;
    },
  };
}

describe('former groups', () => {
  it.each([0, MiB - 1, null])('one that holds %s bytes is emptied and removed', async (heldBytes) => {
    const done: string[] = [];
    await new FormerGroups().retire(groupOf('a', heldBytes, done));
    expect(done).toEqual(['empty a', 'remove a']);
  });

  it('one that holds much is kept as it is, and removed when all is over', async () => {
    const done: string[] = [];
    const former = new FormerGroups();
    await former.retire(groupOf('a', MiB, done));
    expect(done).toEqual(['keep a']);
    await former.close();
    expect(done).toEqual(['keep a', 'remove a']);
    await former.close();
    expect(done.length).toBe(2);
  });

  it('the oldest make room, emptied', async () => {
    const done: string[] = [];
    const former = new FormerGroups();
    const names = Array.from({ length: FORMER_GROUPS_MAX + 2 }, (_, i) => `${i}`);
    for (const name of names) await former.retire(groupOf(name, 5 * MiB, done));
    expect(done.filter((what) => !what.startsWith('keep'))).toEqual([
      'empty 0',
      'remove 0',
      'empty 1',
      'remove 1',
    ]);
    expect(done.filter((what) => what.startsWith('keep')).length).toBe(names.length);
  });
});
