import { expect, test } from 'vitest';
import type { Clock } from '../clock.js';
import { HeardSubmitters } from './heard-submitters.js';

function open(answers: (boolean | Error)[]) {
  const asked: string[] = [];
  const time = { ms: 0 };
  const clock: Clock = { now: () => time.ms, after: () => () => undefined };
  const isHeard = async ({ tenant, submitter }: { tenant: string; submitter: string }) => {
    asked.push(`${tenant}.${submitter}`);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, time, heard: new HeardSubmitters({ isHeard }, clock) };
}

const A = { tenant: 'one', submitter: 's-a' };
const B = { tenant: 'two', submitter: 's-a' };

test('all jobs of one submitter ask it once in a second', async () => {
  const { asked, time, heard } = open([true, true, true]);
  expect(await Promise.all([heard.isHeard(A), heard.isHeard(A), heard.isHeard(B)])).toEqual([
    true,
    true,
    true,
  ]);
  time.ms = 999;
  expect(await heard.isHeard(A)).toBe(true);
  expect(asked).toEqual(['one.s-a', 'two.s-a']);
  time.ms = 1000;
  expect(await heard.isHeard(A)).toBe(true);
  expect(asked).toHaveLength(3);
});

test('one that does not answer is asked each time, and a broker that is gone rejects', async () => {
  const { asked, time, heard } = open([true, false, false, new Error('gone'), true]);
  await heard.isHeard(A);
  time.ms = 1000;
  expect(await heard.isHeard(A)).toBe(false);
  expect(await heard.isHeard(A)).toBe(false);
  await expect(heard.isHeard(A)).rejects.toThrow('gone');
  expect(await heard.isHeard(A)).toBe(true);
  expect(asked).toHaveLength(5);
});
