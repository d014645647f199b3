import { afterAll, beforeEach, expect, it, vi } from 'vitest';

const MiB = 2 ** 20;
let meminfo = '';
const countUncounted = vi.fn();
vi.resetModules(); // others have loaded it with its real parts
vi.doMock('node:fs', () => ({ readFileSync: () => meminfo }));
vi.doMock('../native/native.js', () => ({ loadNative: () => ({ native: { countUncounted } }) }));
const { Uncounted } = await import('./uncounted.js');
afterAll(() => void vi.resetModules());

/** What the kernel's objects take. */
function machine(objectsMiB: number): void {
  meminfo = `SReclaimable:   900000 kB\nSUnreclaim: ${objectsMiB * 1024} kB\nHugePages_Total:       0\n`;
}

let nowMs = 0;
beforeEach(() => {
  nowMs += 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  return () => vi.restoreAllMocks();
});

/** `cpuMs`: what its group's counter says. */
function program(memoryMiB: number | null, loopback = false, cpuMs = () => 0) {
  const group = { pids: vi.fn(() => [7, 19]), read: () => `${cpuMs() * 1e6}` };
  const limits = { memoryBytes: memoryMiB === null ? null : memoryMiB * MiB };
  return { limits, group, lease: { slot: { spec: { loopback } } }, endFor: vi.fn() };
}

beforeEach(() => countUncounted.mockReset().mockResolvedValue(0));

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('programs are looked at only when the kernel holds a step more than it did at the least', async () => {
  const uncounted = new Uncounted();
  const programs = new Set([program(64)]);
  for (const objects of [100, 131, 90, 121, 110]) {
    machine(objects);
    uncounted.look(programs);
  }
  expect(countUncounted).not.toHaveBeenCalled();
  machine(122);
  uncounted.look(programs);
  await settled();
  expect(countUncounted.mock.calls).toEqual([[{ pids: [7, 19], network: false, enough: 64 * MiB }]]);
  machine(153);
  uncounted.look(programs);
  await settled();
  expect(countUncounted).toHaveBeenCalledOnce();
  machine(154);
  uncounted.look(programs);
  expect(countUncounted).toHaveBeenCalledTimes(2);
});

it('who has worked since the last look is looked at, twice a second at the most', async () => {
  const uncounted = new Uncounted();
  let cpuMs = 0;
  const programs = new Set([program(64), program(64, false, () => cpuMs)]);
  machine(100);
  const asked: number[] = [];
  for (let tick = 0; tick < 30; tick += 1) {
    cpuMs = tick < 20 ? tick * 100 : 1900; // all of a CPU, then nothing
    uncounted.look(programs);
    await settled();
    asked.push(countUncounted.mock.calls.length);
    nowMs += 100;
  }
  expect([asked[4], asked[5], asked[10], asked[20], asked[29]]).toEqual([0, 1, 2, 4, 4]);
});

it('who has more locks of a file than others can bear is ended, whatever its limit', async () => {
  const uncounted = new Uncounted();
  const holders = [program(64), program(null)];
  countUncounted.mockResolvedValue(-37); // ENOLCK
  machine(0);
  uncounted.look(new Set(holders));
  machine(32);
  uncounted.look(new Set(holders));
  await settled();
  for (const { endFor } of holders) expect(endFor.mock.calls).toEqual([['memory-limit']]);
});

it('who holds more than its limit is ended with what it holds; without a limit nobody is', async () => {
  const uncounted = new Uncounted();
  const [within, over, unlimited] = [program(200), program(64), program(null)];
  const programs = new Set([within, over, unlimited]);
  countUncounted.mockResolvedValue(100 * MiB);
  machine(0);
  uncounted.look(programs);
  machine(32);
  uncounted.look(programs);
  await settled();
  expect(over.endFor.mock.calls).toEqual([['memory-limit', 100 * MiB]]);
  expect(within.endFor).not.toHaveBeenCalled();
  expect(unlimited.endFor).not.toHaveBeenCalled();
});

it('who has ended meanwhile is left alone: its group may be another program’s by then', async () => {
  const uncounted = new Uncounted();
  const [first, second] = [program(1), program(1)];
  const programs = new Set([first, second]);
  countUncounted.mockImplementation(async () => {
    programs.clear();
    return 2 * MiB;
  });
  machine(0);
  uncounted.look(programs);
  machine(32);
  uncounted.look(programs);
  await settled();
  expect([first.endFor.mock.calls, second.group.pids.mock.calls]).toEqual([[], []]);
});

it('programs with a network are asked for what is in it twice a second, with the rest', async () => {
  const uncounted = new Uncounted();
  const programs = new Set([program(1), program(2, true)]);
  machine(0);
  for (let i = 0; i < 10; i += 1) {
    uncounted.look(programs);
    await settled();
    nowMs += 100;
  }
  const asked = [{ pids: [7, 19], network: true, enough: 2 * MiB }];
  expect(countUncounted.mock.calls).toEqual([asked, asked]);
});

it('looks take a tenth of the time, however often memory comes and goes', async () => {
  const uncounted = new Uncounted();
  const programs = new Set([program(1)]);
  countUncounted.mockImplementation(async () => {
    nowMs += 20;
    return 0;
  });
  const endMs = nowMs + 1000;
  for (let i = 0; nowMs < endMs; i += 1) {
    machine(i % 2 === 0 ? 0 : 100);
    uncounted.look(programs);
    await settled();
    nowMs += 10;
  }
  expect(countUncounted.mock.calls.length).toBeGreaterThan(2);
  expect(countUncounted.mock.calls.length).toBeLessThanOrEqual(5);
});

it('a machine that tells nothing, or a group that is gone, ends nobody', async () => {
  const uncounted = new Uncounted();
  const gone = { ...program(1), group: null };
  machine(0);
  uncounted.look(new Set([gone]));
  meminfo = 'nothing of the kind';
  uncounted.look(new Set([gone]));
  machine(64);
  uncounted.look(new Set([gone]));
  await settled();
  expect(gone.endFor).not.toHaveBeenCalled();
});
