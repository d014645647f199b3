import { afterEach, expect, test, vi } from 'vitest';
import type { EndedMessage } from '../native/native.js';
import type { CounterName } from '../native/tables.js';
import { V1, V2 } from './layout.js';

let swap = '0 kB';
vi.resetModules();
vi.doMock('node:fs', async (original) => ({
  ...(await original<object>()),
  readFileSync: () => `MemTotal:       23 kB\nSwapTotal:       ${swap}\n`,
}));
const { memoryAbove } = await import('./memory-above.js');
vi.doUnmock('node:fs');

afterEach(() => {
  swap = '0 kB';
});

const MIB = 2 ** 20;
const killed = { oomKillCount: 1, cause: 'memory-limit', memoryPeakBytes: 40 * MIB } as EndedMessage;

const group = (layout: typeof V1, files: Partial<Record<CounterName, string>>) => ({
  layout,
  read: (name: CounterName) => files[name] ?? null,
  has: (name: CounterName) => name in files,
});
const v1 = (limit: number | string, mark: number) =>
  group(V1, { memoryLimit: `${limit}`, memoryPeak: `${mark}`, swapLimit: `${limit}` });
const v2 = (limit: number | string, oom: number) =>
  group(V2, { memoryLimit: `${limit}`, oomNotice: `low 0\nhigh 0\nmax 9\noom ${oom}\noom_kill 1\n` });

test.each([
  ['v1, far below its bound', v1(64 * MIB, 40 * MIB)],
  ['v2, whose group was never out of memory', v2(64 * MIB, 0)],
])('a program that was killed within its limit has no verdict: %s', (_, own) => {
  expect(memoryAbove(killed, [own])).toMatchObject({
    code: 'SBX_HOST_MEMORY',
    retryable: true,
    details: { memoryPeakBytes: 40 * MIB },
  });
  expect(memoryAbove(killed, [own, null])).not.toBeNull();
  expect(memoryAbove({ ...killed, cause: 'wall-limit' }, [own])).not.toBeNull();
});

test.each([
  ['v1, as near to its bound as the kernel tells', v1(64 * MIB, 64 * MIB - 32 * 1024)],
  ['v1, whose mark is not known', group(V1, { memoryLimit: `${64 * MIB}` })],
  ['v2, whose group was out of memory', v2(64 * MIB, 1)],
  ['v2, of which nothing can be read', group(V2, { memoryLimit: `${64 * MIB}` })],
  ['v1, which has no limit', v1('9223372036854771712', 40 * MIB)],
  ['v2, which has no limit', v2('max', 0)],
  ['no limit that can be read', group(V2, {})],
  ['no group', null],
])('a program is judged: %s', (_, own) => {
  expect(memoryAbove(killed, [own])).toBeNull();
});

test('a session’s bound counts as the program’s own, and one that there is not counts for nothing', () => {
  const [roomy, full] = [v1(64 * MIB, 40 * MIB), v1(100 * MIB, 100 * MIB)];
  expect(memoryAbove(killed, [full, roomy])).toBeNull();
  expect(memoryAbove(killed, [roomy, full])).toBeNull();
  expect(memoryAbove(killed, [v1('9223372036854771712', 0), roomy])).not.toBeNull();
});

test('with v1 and swap nobody can tell, unless swap has no bound', () => {
  swap = '2097148 kB';
  expect(memoryAbove(killed, [v1(64 * MIB, 40 * MIB)])).toBeNull();
  const unbounded = group(V1, { memoryLimit: `${64 * MIB}`, memoryPeak: `${40 * MIB}` });
  expect(memoryAbove(killed, [unbounded])).not.toBeNull();
  expect(memoryAbove(killed, [v2(64 * MIB, 0)])).not.toBeNull();
});

test.each([
  ['it was killed from outside', { ...killed, cause: 'killed' }],
  ['it was killed for its output', { ...killed, cause: 'output-limit' }],
] as const)('is nobody’s business where %s', (_, ended) => {
  expect(memoryAbove(ended, [v2(64 * MIB, 0)])).toBeNull();
});
