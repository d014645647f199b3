import { describe, expect, test } from 'vitest';
import { call } from './beside-programs.js';
import type { WorkFolder } from './trees.js';

function folderWith(isLiving: boolean, checkOpen = () => {}): WorkFolder {
  return { isLiving: () => isLiving, checkOpen, lastCall: null } as unknown as WorkFolder;
}

describe('a call', () => {
  test('is made at once when no program lives', async () => {
    const made: boolean[] = [];
    const done = call(folderWith(false), (later) => made.push(later));
    expect(made).toEqual([false]);
    expect(await done).toBe(1);
  });

  test('is one at a time when one does, whatever came of the one before', async () => {
    const folder = folderWith(true);
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const calls = [0, 1, 2].map((index) =>
      call(folder, (later) => {
        expect(later).toBe(true);
        begun.push(index);
        return new Promise<void>((resolve, reject) => ends.push(index === 0 ? reject : resolve));
      }),
    );
    const ended = Promise.allSettled(calls);
    for (const index of [0, 1, 2]) {
      await new Promise(setImmediate);
      expect(begun).toHaveLength(index + 1);
      ends[index]!();
    }
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  test('that has waited is not made in a sandbox that was closed meanwhile', async () => {
    let isClosed = false;
    const folder = folderWith(true, () => {
      if (isClosed) throw new Error('closed');
    });
    const first = call(folder, async () => {
      isClosed = true;
    });
    await expect(call(folder, () => 1)).rejects.toThrow('closed');
    await first;
  });
});
