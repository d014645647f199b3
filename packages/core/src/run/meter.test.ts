import { expect, it, vi } from 'vitest';
import type { Group } from '../cgroup/group.js';
import type { EndedMessage } from '../native/native.js';
import { Meter } from './meter.js';
import type { ProgramRequest } from './request.js';

/** A v2 group whose files say what the test writes into `files`. */
function fakeGroup() {
  const files: Record<string, string> = {
    cpu: 'usage_usec 1000\n',
    memoryNow: '100000',
    memoryPeak: '150000',
    memoryStat: 'file 20000\nshmem 5000\n',
    taskPeak: '3',
  };
  const group = { read: (name: string) => files[name] ?? null } as unknown as Group;
  return { files, group };
}

const REQUEST = { notify: true } as ProgramRequest;

it('reads what the program has used since its start', () => {
  const { files, group } = fakeGroup();
  const meter = new Meter(group, 1, REQUEST, -1);
  meter.begin();
  Object.assign(files, { cpu: 'usage_usec 6000\n', memoryNow: '200000', memoryPeak: '250000' });
  expect(meter.measures).toBe(true);
  expect(meter.read(12)).toEqual({
    cpuTimeMs: 5,
    wallTimeMs: 12,
    memoryBytes: 100_000,
    memoryPeakBytes: 150_000,
    fileCacheBytes: 15_000,
    processPeakCount: 2,
  });
});

it('peaks never fall, nor does CPU time', () => {
  const { files, group } = fakeGroup();
  const meter = new Meter(group, 1, REQUEST, -1);
  meter.begin();
  Object.assign(files, { cpu: 'usage_usec 9000\n', memoryPeak: '300000' });
  meter.read(1);
  Object.assign(files, { cpu: 'usage_usec 8000\n', memoryPeak: '200000' });
  expect(meter.read(2)).toMatchObject({ cpuTimeMs: 8, memoryPeakBytes: 200_000 });
  expect(meter.highest).toEqual({ cpuTimeMs: 8, memoryPeakBytes: 200_000 });
});

it('a living program holds a page at least, and is one process at least', () => {
  const { files, group } = fakeGroup();
  const meter = new Meter(group, 5, REQUEST, -1);
  meter.begin();
  files.memoryNow = '50000';
  expect(meter.read(1)).toMatchObject({ memoryBytes: 4096, processPeakCount: 1 });
});

it('a warm process counts from its activation', () => {
  const { files, group } = fakeGroup();
  const baseline = {
    cpuNs: 400_000,
    memoryBytes: 0,
    fileCacheBytes: 0,
    chargedBytes: 0,
    memoryPeakBytes: null,
    tasks: null,
  };
  const meter = new Meter(group, 1, { ...REQUEST, warmStart: { id: 1, pipes: [], baseline } }, -1);
  meter.begin(); // what it holds since its start is its own
  Object.assign(files, { cpu: 'usage_usec 2400\n', memoryNow: '200000' });
  expect(meter.read(1)).toMatchObject({ cpuTimeMs: 2, memoryBytes: 185_000 });
});

it('its memory has one beginning, and none that is read where no readings are asked for', () => {
  const { files, group } = fakeGroup();
  const meter = new Meter(group, 1, REQUEST, -1);
  meter.begin();
  files.memoryStat = 'file 5000\nshmem 5000\n';
  meter.begin();
  files.memoryNow = '200000';
  expect(meter.read(1).memoryBytes).toBe(200_000 - 85_000);
  const read = vi.spyOn(group, 'read');
  new Meter(group, 1, { notify: false } as ProgramRequest, files.cpu!).begin();
  expect(read).not.toHaveBeenCalled();
});

it('memory that the group does not count is in the peak, at its highest', () => {
  const meter = new Meter(null, 1, REQUEST, -1);
  for (const bytes of [5000, 7000, 6000]) meter.noteHeld(bytes);
  expect(meter.highest.memoryPeakBytes).toBe(7000);
});

it('CPU time has a baseline also where no readings are asked for', () => {
  const { files, group } = fakeGroup();
  const meter = new Meter(group, 1, { notify: false } as ProgramRequest, files.cpu!);
  meter.begin();
  files.cpu = 'usage_usec 8000\n';
  const late = { cpuNs: null, wallNs: 0 } as EndedMessage;
  expect(meter.complete(late, 12)).toEqual({ cpuNs: 7e6, wallNs: 12e6 });
  expect([meter.measures, meter.read(1).cpuTimeMs]).toEqual([true, 7]);
  expect(meter.complete({ ...late, wallNs: 5 }, 12).wallNs).toBe(5);
});

it('CPU time of others, in groups below its own, is left out', () => {
  const { files, group } = fakeGroup();
  const concurrency = { others: true, othersCpuNs: () => 4e6 };
  const meter = new Meter(group, 1, { notify: true, concurrency } as ProgramRequest, -1);
  files.cpu = 'usage_usec 7000\n';
  expect(meter.read(1).cpuTimeMs).toBe(2);
  expect(meter.highest.cpuTimeMs).toBe(2);
});

it('without a group nothing is measured but time', () => {
  const meter = new Meter(null, 1, REQUEST, -1);
  meter.begin();
  expect(meter.measures).toBe(false);
  expect(meter.complete({ cpuNs: null } as EndedMessage, 3).cpuNs).toBeNull();
  expect(meter.read(3)).toEqual({
    cpuTimeMs: 0,
    wallTimeMs: 3,
    memoryBytes: null,
    memoryPeakBytes: null,
    fileCacheBytes: null,
    processPeakCount: null,
  });
});
