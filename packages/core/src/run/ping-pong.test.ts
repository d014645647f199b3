import { describe, expect, test } from 'vitest';
import type { GroupPipe } from '../types/group.js';
import { pingPongPrograms } from './ping-pong.js';

const pipe = (from: number, to: number, more: Partial<GroupPipe> = {}): GroupPipe => ({
  from: { index: from, fd: 1 },
  to: { index: to, fd: 0 },
  ...more,
});

describe('who takes turns', () => {
  test.each<[string, GroupPipe[], number[]]>([
    ['nobody without pipes', [], []],
    ['no stage of a pipeline', [pipe(0, 1), pipe(1, 2)], []],
    ['two that ask and answer', [pipe(0, 1), pipe(1, 0)], [0, 1]],
    ['three in a ring', [pipe(0, 1), pipe(1, 2), pipe(2, 0)], [0, 1, 2]],
    ['not who only feeds or only reads them', [pipe(3, 0), pipe(0, 1), pipe(1, 0), pipe(1, 2)], [0, 1]],
    [
      'not who stands between two rings',
      [pipe(0, 1), pipe(1, 0), pipe(1, 2), pipe(2, 3), pipe(3, 4), pipe(4, 3)],
      [0, 1, 3, 4],
    ],
    ['nobody with a pipe to itself', [pipe(0, 0)], []],
    ['nobody whose answer is relayed', [pipe(0, 1), pipe(1, 0, { relay: true })], []],
    ['nobody whose question is recorded', [pipe(0, 1, { record: { maxBytes: 1 } }), pipe(1, 0)], []],
  ])('%s', (_, pipes, expected) => {
    expect([...pingPongPrograms(pipes)].sort()).toEqual(expected);
  });

  test('the largest group is soon sorted', () => {
    const pipes = Array.from({ length: 4096 }, (_, i) => pipe(i % 256, (i * 7 + 1) % 256));
    const from = process.cpuUsage();
    pingPongPrograms(pipes);
    expect(process.cpuUsage(from).user).toBeLessThan(500_000); // µs
  });
});
