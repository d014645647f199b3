// The life of a warm process with everything below it faked: what happens in which order, and that all is
// given back whenever it ends.
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineCore } from '../engine/core.js';
import { ENOENT } from '../native/errno.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { LaunchSpec } from './launch-spec.js';
import type { WarmProcess as Warm, WarmProcessOptions } from './warm-process.js';

const MiB = 2 ** 20;
const log: string[] = [];
const note = (what: string) => void log.push(what);
/** What init says of the program. */
let listener: { onEnded(): void; onLost(error: Error): void };
let counters = { memoryBytes: 5 * MiB, memoryPeakBytes: 6 * MiB, chargedBytes: MiB, tasks: 4, cpuNs: 7 };
const activation = vi.fn(() => true);
/** Set where the sandbox is not there at once. */
let leaseLater: Promise<void> | null = null;

const lease = {
  folder: {
    trees: [{ fd: 8 }],
    owner: 5,
    checkOpen: () => undefined,
    native: { removeTree: async ({ name }: { name: string }) => note(`remove ${name}`) },
  },
  core: { native: {}, toolchainPath: '', usableCpus: 2 },
  slot: { cgroup: { group: {}, helperTasks: 1 } },
  nextProgramId: () => 3,
  start: (_message: object, given: typeof listener) => {
    note('start');
    listener = given;
  },
  activate: () => {
    note('activate');
    return activation();
  },
  close: () => note('close sandbox'),
};
const acquire = () => (leaseLater === null ? lease : leaseLater.then(() => lease));
const writeBounds = vi.fn((_cgroup: object, { memoryBytes }: ResolvedLimits, charged: number) =>
  note(`bounds ${memoryBytes} over ${charged}`),
);
const writeCpuShare = vi.fn(() => note('share'));
const adoptWarm = vi.fn((_lease: object, _request: { warmStart: object }) => {
  note('adopt');
  return 'running';
});
const copyIn = vi.fn(async (_folder: object, files: object) => note(`copy ${Object.keys(files).join(' ')}`));

vi.resetModules();
vi.doMock('../run/sandbox-lease.js', () => ({ SandboxLease: { acquire } }));
vi.doMock('../files/copy.js', () => ({ copyIn }));
vi.doMock('../cgroup/counters.js', () => ({ readCounters: () => counters, readCpuNs: () => 9 }));
vi.doMock('../run/group-limits.js', () => ({ writeBounds, writeCpuShare }));
vi.doMock('../run/one-shot.js', () => ({ holdUntilEnd: () => 'held' }));
vi.doMock('../run/running.js', () => ({ Running: { adoptWarm } }));
vi.doMock('../run/request.js', () => ({
  environmentFor: () => [],
  attemptOf: () => ({ paths: [] }),
  startMessage: () => ({}),
}));
vi.doMock('../run/stdio/child-descriptors.js', () => ({
  ChildDescriptors: class {
    addPipe = (target: number) => 20 + target;
    rows = () => ({});
    close = () => note('close child ends');
  },
}));
const { CannotHoldError, WarmProcess } = await import('./warm-process.js');
afterAll(() => void vi.resetModules());

const gate = {
  hold: vi.fn(() => {
    note('hold');
    return 40;
  }),
  open: vi.fn(() => {
    note('resume');
    return 0;
  }),
  drop: vi.fn(() => note('drop')),
};
const onLost = vi.fn();
const core = {
  native: { closeFds: (fds: number[]) => note(`close ${fds.join(' ')}`) },
} as unknown as EngineCore;
const limits = { memoryBytes: 64 * MiB, processCount: 8, cpuTimeMs: 100, wallTimeMs: null } as ResolvedLimits;
const launchSpec = {
  spec: {},
  file: 'python3',
  args: ['main.py'],
  entry: 'main.py',
  files: { 'a.txt': 'a' },
  limits,
  options: {},
} as unknown as LaunchSpec;

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  log.length = 0;
  counters = { memoryBytes: 5 * MiB, memoryPeakBytes: 6 * MiB, chargedBytes: MiB, tasks: 4, cpuNs: 7 };
  leaseLater = null;
});
afterEach(() => void vi.useRealTimers());

const make = (): Warm =>
  new WarmProcess({
    core,
    gate: gate as unknown as WarmProcessOptions['gate'],
    launchSpec,
    warmUpFiles: { 'warm.py': '' },
    memoryBytes: 128 * MiB,
    startMs: 1000,
    onLost,
  });

/** Has been started, and is not at its entry file yet. */
async function started() {
  const process = make();
  const begun = process.begin();
  begun.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0); // what is asynchronous below resolves at once
  return { process, begun };
}
async function warm(): Promise<Warm> {
  const { process, begun } = await started();
  process.noteOpened();
  await begun;
  log.length = 0;
  return process;
}
const REQUEST = { bytes: Buffer.from('print(1)'), limits, options: {} };
const CLOSED = ['close sandbox', 'close 20 21 22', 'drop'];

describe('until it is warm', () => {
  it('its files come first, its entry is held before it starts, and it is warm once it is blocked there', async () => {
    const { process, begun } = await started();
    expect(log).toEqual(['copy a.txt warm.py', 'hold', 'start', 'close child ends']);
    expect([process.isWarm, process.gateId]).toEqual([false, 40]);
    process.noteOpened();
    await begun;
    expect(log.slice(4)).toEqual(['remove warm.py', `bounds ${64 * MiB} over ${MiB}`]);
    expect([process.isWarm, process.memoryBytes]).toEqual([true, 5 * MiB]);
    await vi.advanceTimersByTimeAsync(5000); // it waits as long as it may
    expect(process.isWarm).toBe(true);
  });

  it('only requests that allow what it took on its way may have it', async () => {
    const process = await warm();
    const peak = 6 * MiB - MiB + MiB / 2;
    const fits = (memoryBytes: number | null, processCount: number | null) =>
      process.fits({ ...limits, memoryBytes, processCount });
    expect([fits(peak, 3), fits(peak - 1, 3), fits(peak, 2), fits(null, null)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('limits that it does not fit are not put in force', async () => {
    counters.tasks = 100;
    await warm();
    expect(writeBounds).not.toHaveBeenCalled();
  });

  it('one that does not come to its entry in time is ended, and nobody is told of a loss', async () => {
    const { process, begun } = await started();
    log.length = 0;
    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await expect(begun).rejects.toMatchObject({ code: 'SBX_SANDBOX_LOST' });
    expect(log.slice(0, 3)).toEqual(CLOSED);
    expect([process.isWarm, onLost.mock.calls]).toEqual([false, []]);
  });

  it('one that ends on its way, or is closed, is never warm', async () => {
    const { begun } = await started();
    listener.onEnded();
    await expect(begun).rejects.toThrow('python3, started ahead,');
    const other = await started();
    other.process.close();
    await expect(other.begun).rejects.toMatchObject({ code: 'SBX_CLOSED' });
  });

  it('a sandbox that comes after the close is closed', async () => {
    let come: () => void = () => undefined;
    leaseLater = new Promise((resolve) => {
      come = resolve;
    });
    const process = make();
    const begun = process.begin();
    process.close();
    expect(log).toEqual([]);
    come();
    await expect(begun).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    expect(log).toEqual(['close sandbox']);
  });

  it('a machine that cannot hold programs is told from a file that is not there', async () => {
    gate.hold.mockReturnValueOnce(-1);
    await expect(make().begin()).rejects.toBeInstanceOf(CannotHoldError);
    gate.hold.mockReturnValueOnce(ENOENT);
    await expect(make().begin()).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND', path: 'main.py' });
    expect(log).not.toContain('start');
  });
});

describe('a request', () => {
  it('has its limits in force before the program goes on, and then owns it', async () => {
    const process = await warm();
    expect(process.activate(REQUEST)).toBe('held');
    expect(log).toEqual(['share', `bounds ${64 * MiB} over ${MiB}`, 'activate', 'resume', 'adopt']);
    expect(adoptWarm.mock.lastCall![1].warmStart).toMatchObject({
      id: 3,
      pipes: [20, 21, 22],
      baseline: { cpuNs: 9, chargedBytes: MiB },
    });
    expect([process.isWarm, process.gateId]).toEqual([false, -1]);
    listener.onEnded(); // the request's own affair
    expect([log.includes('close sandbox'), onLost.mock.calls]).toEqual([false, []]);
  });

  it.each([
    ['limits cannot be put in force', () => writeBounds.mockImplementationOnce(fail)],
    ['init is gone', () => void activation.mockReturnValueOnce(false)],
    ['the program is gone', () => gate.open.mockReturnValueOnce(ENOENT)],
  ])('gets none where %s; all is closed', async (_name, breakIt) => {
    const process = await warm();
    breakIt();
    expect(process.activate(REQUEST)).toBeNull();
    expect(log.slice(-3)).toEqual(CLOSED);
    expect(adoptWarm).not.toHaveBeenCalled();
  });

  it('is told of an entry file that cannot be written', async () => {
    const process = await warm();
    gate.open.mockReturnValueOnce(-5);
    expect(() => process.activate(REQUEST)).toThrow(expect.objectContaining({ errnoName: 'EIO' }));
    expect(log.slice(-3)).toEqual(CLOSED);
  });
});

it('a loss is told once, by a process that was warm', async () => {
  const process = await warm();
  listener.onEnded();
  listener.onLost(new Error('gone'));
  expect(onLost.mock.calls).toEqual([[process]]);
  expect(log).toEqual(CLOSED);
});

function fail(): never {
  throw new Error('EIO');
}
