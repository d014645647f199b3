import { expect, test } from 'vitest';
import { RecentCancels } from './recent-cancels.js';

test('the latest are known, also one that came again, and the oldest are forgotten', () => {
  const recent = new RecentCancels();
  const BOUND = 4096;
  for (let number = 0; number < BOUND; number += 1) recent.add(`job ${number}`);
  recent.add('job 0');
  const known = () => [0, 1, 2, BOUND - 1].map((number) => recent.has(`job ${number}`));
  expect(known()).toEqual([true, true, true, true]);
  recent.add('new');
  expect([recent.has('new'), ...known()]).toEqual([true, true, false, true, true]);
});
