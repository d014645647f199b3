import { expect, test } from 'vitest';
import { Tails } from './tails.js';

test('past 1024 streams that nobody reads, the programs that ended first lose theirs', async () => {
  const tails = new Tails();
  const closed: number[] = [];
  const ends: (() => void)[] = [];
  for (let index = 0; index < 515; index += 1) {
    const done = new Promise<void>((resolve) => ends.push(resolve));
    tails.add({ streams: 2, done, close: () => closed.push(index) });
    if (index === 1) ends[0]!(); // somebody has read it
    await null;
  }
  expect(closed).toEqual([1, 2]);
});
