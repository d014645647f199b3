import { describe, expect, it } from 'vitest';
import type { EndedMessage } from '../native/native.js';
import { DEFAULT_LIMITS, resolveLimits } from '../options/limits.js';
import { Output } from '../streams/output.js';
import { copyOutBudget, copyOutFiles, makeResult, type ResultParts, unreportedEnd } from './result.js';

const LIMITS = resolveLimits(DEFAULT_LIMITS);
const ENDED: EndedMessage = {
  kind: 'ended',
  programId: 1,
  waitStatus: 0,
  cause: 'none',
  cpuNs: 2e6,
  wallNs: 3e6,
  memoryPeakBytes: 2 ** 20,
  fileCacheBytes: 0,
  oomKillCount: 0,
  taskPeak: 3,
  taskPeakBefore: null,
  maxRssBytes: 2 ** 16,
  outputs: undefined,
};
const NOTHING_MISSING = { features: {}, missing: [], asked: [] } as unknown as ResultParts['engine'];

function resultOf(ended: Partial<EndedMessage>, parts: Partial<ResultParts> = {}) {
  return makeResult({
    ended: { ...ENDED, ...ended },
    limits: LIMITS,
    outputs: new Map(),
    fds: undefined,
    files: {},
    fileErrors: [],
    engine: NOTHING_MISSING,
    hadConcurrent: false,
    filterKills: false,
    helperTasks: 2,
    atLeast: undefined,
    ...parts,
  });
}

describe('usage', () => {
  it('is in ms and bytes, without the tasks of the helper', () => {
    expect(resultOf({}).usage).toEqual({
      cpuTimeMs: 2,
      wallTimeMs: 3,
      memoryPeakBytes: 2 ** 20,
      fileCacheBytes: 0,
      processPeakCount: 1,
    });
  });

  it('is never below a reading that was given while it ran', () => {
    const atLeast = { cpuTimeMs: 5, memoryPeakBytes: 2 ** 21 };
    expect(resultOf({}, { atLeast }).usage).toMatchObject(atLeast);
  });

  it.each([
    ['the mark of the group', 2 ** 20, 2 ** 16, 2 ** 20],
    ['of a tiny program what its own process had', 4096, 2 ** 17, 2 ** 17],
    ['of that no more than the kernel charges at once', 4096, 2 ** 22, 2 ** 18],
    ['without a group what its own process had', null, 2 ** 22, 2 ** 22],
    ['nothing where nothing measured it', null, 0, null],
  ])('tells as peak of memory %s', (_, memoryPeakBytes, maxRssBytes, expected) => {
    expect(resultOf({ memoryPeakBytes, maxRssBytes }).usage.memoryPeakBytes).toBe(expected);
  });

  it.each([
    ['a mark that rose', 6, 4, 4],
    ['one task, whatever came before', 3, 9, 1],
    ['unknown, when an earlier program had as many', 6, 6, null],
    ['unknown, when nothing counts', null, null, null],
    ['one, where the helper’s tasks alone were seen', 2, null, 1],
  ])('tells as peak of processes %s', (_, taskPeak, taskPeakBefore, expected) => {
    const { usage, degraded } = resultOf({ taskPeak, taskPeakBefore });
    expect(usage.processPeakCount).toBe(expected);
    expect(degraded.map(({ feature }) => feature)).toEqual(expected === null ? ['process-peak'] : []);
  });
});

describe('where the kernel keeps no mark of memory', () => {
  const reason = 'the kernel has no memory.peak';
  const features = { 'memory-peak': { available: false, mechanism: null, reason } };
  const engine = { features, missing: ['memory-peak'], asked: [] } as unknown as ResultParts['engine'];
  const limits = { ...LIMITS, memoryBytes: 2 ** 24 };

  it.each([
    ['what was seen of the group', { memoryPeakBytes: 2 ** 22 }, 2 ** 22],
    ['what its own process had', { memoryPeakBytes: 2 ** 20, maxRssBytes: 2 ** 23 }, 2 ** 23],
    ['of that no more than its limit', { memoryPeakBytes: 2 ** 20, maxRssBytes: 2 ** 25 }, 2 ** 24],
    ['the limit, when the kernel killed for it', { memoryPeakBytes: 2 ** 20, oomKillCount: 1 }, 2 ** 24],
  ])('tells %s', (_, ended, expected) => {
    const { usage, degraded, status } = resultOf(ended, { engine, limits });
    expect(usage.memoryPeakBytes).toBe(expected);
    expect(degraded[0]!.reason).toMatch(/^the kernel has no memory.peak; instead/);
    // Pages of files in its own memory are not charged to it: no verdict stands on them.
    expect(status).toBe('oomKillCount' in ended ? 'memory-limit' : 'ok');
  });

  it('says so once when others ran at the same time', () => {
    const { degraded } = resultOf({}, { engine, hadConcurrent: true });
    expect(degraded.map(({ feature }) => feature)).toEqual(['memory-peak', 'process-peak']);
  });
});

describe('degraded', () => {
  const feature = (reason: string) => ({ available: false, mechanism: null, reason });
  const engine = {
    features: {
      'memory-limit': feature('no cgroup'),
      'cpu-rate': feature('no cpu controller'),
      'kernel-memory-limit': feature('the kernel was started with cgroup.memory=nokmem'),
      'process-peak': feature('no cgroup'),
      landlock: feature('the kernel has no Landlock'),
    },
    missing: ['memory-limit', 'kernel-memory-limit', 'cpu-rate', 'process-peak', 'landlock'],
    asked: [],
  } as unknown as ResultParts['engine'];
  const namesOf = (parts: Partial<ResultParts>) =>
    resultOf({}, parts).degraded.map(({ feature: name }) => name);

  it('has what every program needs, and what its limits need', () => {
    const limits = { ...LIMITS, memoryBytes: null, cpuRate: null };
    expect(namesOf({ engine, limits })).toEqual(['process-peak']);
    expect(namesOf({ engine, limits: { ...limits, memoryBytes: 2 ** 20 } })).toEqual(
      expect.arrayContaining(['memory-limit', 'kernel-memory-limit']),
    );
    expect(namesOf({ engine, limits: { ...limits, cpuRate: 0.5 } })).toContain('cpu-rate');
  });

  it('has what the engine was asked for, and says what is done instead', () => {
    expect(namesOf({ engine: { ...engine, asked: ['landlock'] } })).toContain('landlock');
    const [memory] = resultOf({}, { engine }).degraded.filter(({ feature: name }) => name === 'memory-limit');
    expect(memory!.reason).toMatch(/^no cgroup; instead the memory of its processes is added up/);
  });

  it('says that peaks are shared with programs that ran at the same time', () => {
    expect(namesOf({ hadConcurrent: true })).toEqual(['memory-peak', 'process-peak']);
  });
});

describe('the end', () => {
  it('is told with its code, its signal and what shows it', () => {
    const exited = resultOf({ waitStatus: 3 << 8 });
    expect(exited).toMatchObject({
      status: 'exit',
      evidence: 'exit',
      ok: false,
      exitCode: 3,
      exitSignal: null,
    });
    const killed = resultOf({ waitStatus: 9, cause: 'wall-limit' });
    expect(killed).toMatchObject({ status: 'wall-limit', evidence: 'wall-limit/record', ok: false });
    expect([killed.exitCode, killed.exitSignal]).toEqual([null, 'SIGKILL']);
    expect(() => killed.orThrow()).toThrow(expect.objectContaining({ name: 'ProgramError', result: killed }));
    const good = resultOf({});
    expect(good).toMatchObject({ status: 'ok', evidence: 'ok', ok: true, exitCode: 0, exitSignal: null });
    expect(good.orThrow()).toBe(good);
  });

  it('has the files that were taken, and each that was not', () => {
    const files = { a: new Output(Buffer.from('a')) } as unknown as ResultParts['files'];
    const fileErrors = [{ path: 'b', code: 'io', message: 'no b' }] as ResultParts['fileErrors'];
    const result = resultOf({}, { files, fileErrors });
    expect(result).toMatchObject({ status: 'file-error', files, fileErrors });
  });

  it('of which nobody knows the CPU time says so once', () => {
    const reason = 'no counter';
    const features = { 'cpu-accounting': { available: false, mechanism: null, reason } };
    const engine = { features, missing: ['cpu-accounting'], asked: [] } as unknown as ResultParts['engine'];
    for (const parts of [{}, { engine }]) {
      const { usage, degraded, status } = resultOf({ cpuNs: null }, parts);
      expect([usage.cpuTimeMs, status, degraded.map(({ feature }) => feature)]).toEqual([
        0,
        'ok',
        ['cpu-accounting'],
      ]);
      expect(degraded[0]!.reason).toMatch(/did not come in time/);
    }
  });

  it('above the limit for caches alone is not over it', () => {
    const limits = { ...LIMITS, memoryBytes: 2 ** 24 };
    const over = { memoryPeakBytes: 2 ** 24 + 4096 };
    expect(resultOf({ ...over, fileCacheBytes: 8192 }, { limits })).toMatchObject({
      status: 'ok',
      usage: { memoryPeakBytes: 2 ** 24, fileCacheBytes: 8192 },
    });
    expect(resultOf(over, { limits }).status).toBe('memory-limit');
  });
});

it('stderr is descriptor 2, and nothing where it went elsewhere', () => {
  const outputs = new Map([[2, new Output(Buffer.from('err'))]]);
  expect(resultOf({}, { outputs }).stderr.text()).toBe('err');
  const { stdout, outputs: byNumber } = resultOf({}, { outputs });
  expect([stdout.text(), byNumber]).toEqual(['', {}]);
});

it('gives outputs by number where they were asked for by number', () => {
  const outputs = new Map([
    [1, new Output(Buffer.from('out'))],
    [5, new Output(Buffer.from('five'))],
  ]);
  const result = resultOf({}, { outputs, fds: { 5: { output: 'capture' } } });
  expect(result.stdout.text()).toBe('out');
  expect(Object.keys(result.outputs)).toEqual(['5']);
  expect(result.outputs[5]!.text()).toBe('five');
  expect(result.stderr.text()).toBe('');
});

it('a program that was killed and whose report has not come has what the host measured', () => {
  const usage = {
    cpuTimeMs: 7,
    wallTimeMs: 8,
    memoryPeakBytes: 9,
    fileCacheBytes: null,
    processPeakCount: null,
  };
  const ended = unreportedEnd(4, usage, true, 'wall-limit');
  expect(ended).toMatchObject({ programId: 4, waitStatus: 9, cause: 'wall-limit', cpuNs: 7e6, wallNs: 8e6 });
  expect(unreportedEnd(4, usage, false, 'killed').cpuNs).toBeNull();
  expect(resultOf(ended).status).toBe('wall-limit');
});

it('CPU time that nothing measured is said to be unknown', () => {
  const [said, ...others] = resultOf({ cpuNs: null }).degraded;
  expect([said?.feature, others]).toEqual(['cpu-accounting', []]);
  expect(resultOf({ cpuNs: 0 }).degraded).toEqual([]);
});

it('a bound for all that is copied out is that program’s own; without one nothing is counted', () => {
  const bounded = copyOutBudget({ copyOutTotalBytes: 10_000 });
  bounded.chargeFile(9000);
  expect(bounded.leftBytes).toBe(1000);
  expect(copyOutBudget({ copyOutTotalBytes: 10_000 }).leftBytes).toBe(10_000);
  const unbounded = copyOutBudget({});
  unbounded.chargeFile(2 ** 40);
  expect(copyOutBudget({}).leftBytes).toBe(Number.POSITIVE_INFINITY);
});

it('what a caller adds to the lists of a result is in no other', () => {
  const collect = () => copyOutFiles(new Map(), {} as never, {}, copyOutBudget({}));
  collect().errors.push({ path: 'a', code: 'io', message: 'mine' });
  expect(collect().errors).toEqual([]);
});
