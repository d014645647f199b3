import { expect, it } from 'vitest';
import { weakenedLines } from './weakened.js';

it('each reason is said once, with what it weakens and what is done instead', () => {
  expect(
    weakenedLines([
      { feature: 'memory-limit', reason: 'no cgroup; instead it is added up' },
      { feature: 'swap-limit', reason: 'no cgroup' },
      { feature: 'landlock', reason: 'the kernel has none' },
      { feature: 'process-limit', reason: 'no cgroup' },
      { feature: 'memory-peak', reason: 'no cgroup; instead the most that was seen' },
    ]),
  ).toEqual([
    'memory-limit, swap-limit, process-limit, memory-peak: no cgroup (memory-limit: instead it is added up; ' +
      'memory-peak: instead the most that was seen)',
    'landlock: the kernel has none',
  ]);
});

it('a reason that stands alone is said as it is', () => {
  const reason = 'no cgroup; instead it is added up';
  expect(weakenedLines([{ feature: 'memory-limit', reason }])).toEqual([`memory-limit: ${reason}`]);
});
