// One program from its request to its result with its sandbox faked: the order of what happens, what the
// result is, and that descriptors are given back however it ends.
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClosedError, SbxError } from '../errors.js';
import type { EndedMessage } from '../native/native.js';
import type { ProgramRequest } from './request.js';
import type { Running as Program } from './running.js';
import type { ProgramListener, SandboxLease } from './sandbox-lease.js';

const log: string[] = [];
const note = (what: string) => void log.push(what);
let listener: ProgramListener;

const stdio = {
  open: vi.fn((): Promise<void> | undefined => note('open')),
  finish: () => note('finish'),
  noteSent: () => note('sent'),
  attachPipes: (pipes: number[]) => note(`pipes ${pipes}`),
  abandon: () => note('abandon'),
  collect: vi.fn(() => {
    note('collect');
    return 'collected';
  }),
  drop: () => note('drop'),
  overflowed: () => false,
  outputError: vi.fn((): SbxError | null => null),
  terminal: { attach: (master: number, notify: boolean) => note(`terminal ${master} ${notify}`) },
};
const copyIn = vi.fn((): Promise<void> | undefined => note('copy'));
const writeCpuLimits = vi.fn((): Promise<number[]> | undefined => undefined);
const checkOpenFiles = vi.fn();
const startMessage = vi.fn((_lease: object, _request: object, { joins }: { joins: number[] }) => ({ joins }));
const makeResult = vi.fn(({ ended, files }: { ended: EndedMessage; files: unknown }) => ({
  status: 'ok',
  usage: { cpuTimeMs: 2, wallTimeMs: 3 },
  cause: ended.cause,
  files,
}));
const copyOutFiles = vi.fn((_outputs: unknown, _folder: object, options: object) => ({
  outputs: [],
  files: options,
  errors: [],
}));
const closeReported = vi.fn();
const closeOutputs = vi.fn();
const wrongStart = new SbxError({ code: 'SBX_PROGRAM_NOT_FOUND', message: 'not there' });

vi.resetModules();
vi.doMock('./request.js', () => ({
  helperTasksOf: () => 1,
  pinned: (_lease: object, request: object) => request,
  environmentFor: () => [],
  attemptOf: () => ({ paths: [] }),
  stdioFor: () => stdio,
  startMessage,
}));
vi.doMock('../files/copy.js', () => ({ copyIn }));
vi.doMock('./group-limits.js', () => ({ writeCpuLimits }));
vi.doMock('./plan.js', () => ({ checkOpenFiles }));
vi.doMock('./meter.js', () => ({
  Meter: class {
    measures = {};
    noteHeld = (bytes: number) => note(`held ${bytes}`);
    begin = () => undefined;
    complete = (ended: EndedMessage) => ended;
    read = () => ({ cpuTimeMs: 1, wallTimeMs: 1, memoryBytes: 77 });
  },
}));
vi.doMock('./script.js', () => ({ lookerFor: () => null }));
vi.doMock('../pool/sandbox-spec.js', () => ({ filterMayKill: () => false }));
vi.doMock('../pool/failures.js', async (original) => ({
  ...(await original<object>()),
  startError: () => wrongStart,
}));
vi.doMock('./stdio/init-files.js', () => ({ closeReported }));
vi.doMock('./result.js', () => ({
  closeOutputs,
  copyOutBudget: () => ({}),
  copyOutFiles,
  makeResult,
  unreportedEnd: (_id: number, usage: object, _measures: object, cause: string) => ({ cause, usage }),
}));
const { Running } = await import('./running.js');
afterAll(() => void vi.resetModules());

const watch = new Set<object>();
const core = { watch, startedTotal: 0, finishedTotal: 0, byStatus: { ok: 0 }, openFilesMax: 100 };
const checkOpen = vi.fn();
const lease = {
  core,
  folder: { checkOpen },
  slot: { cgroup: { group: null, helperTasks: 1 } },
  nextProgramId: () => 4,
  start: ({ joins }: { joins: number[] }, given: ProgramListener) => {
    note(`start [${joins}]`);
    listener = given;
  },
  adopt: (id: number, given: ProgramListener) => {
    note(`adopt ${id}`);
    listener = given;
  },
  signal: (_id: number, signal: number, cause: string, everything: boolean) =>
    note(`signal ${signal} ${cause} ${everything}`),
} as unknown as SandboxLease;

const ENDED = { cause: 'none', waitStatus: 0, outputs: ['reported'] } as unknown as EndedMessage;

interface Asked {
  options?: object;
  notify?: boolean;
  wallTimeMs?: number | null;
}
const requestOf = ({ options = {}, notify = false, wallTimeMs = 1000 }: Asked) =>
  ({ file: 'cat', args: [], options, limits: { wallTimeMs }, notify }) as unknown as ProgramRequest;
/** With nothing to wait for it is no promise. */
const start = (asked: Asked = {}) => Running.start(lease, requestOf(asked)) as Program;
const refused = (program: Program) => program.result.catch((error: unknown) => error);

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  log.length = 0;
  watch.clear();
  Object.assign(core, { startedTotal: 0, finishedTotal: 0, byStatus: { ok: 0 } });
});
afterEach(() => void vi.useRealTimers());

describe('a start', () => {
  it('opens descriptors before files are copied over them, and sends at once', () => {
    const program = start({ options: { files: {} } });
    expect(log).toEqual(['open', 'copy', 'finish', 'start []', 'sent']);
    expect([program.id, watch.has(program), core.startedTotal]).toEqual([4, true, 0]);
  });

  it('waits for what takes time, and for the groups that it joins', async () => {
    stdio.open.mockReturnValueOnce(Promise.resolve());
    copyIn.mockReturnValueOnce(Promise.resolve());
    writeCpuLimits.mockReturnValueOnce(Promise.resolve([7]));
    const starting = Running.start(lease, requestOf({ options: { files: {} } }));
    expect(starting).toBeInstanceOf(Promise);
    expect([log, copyIn.mock.calls]).toEqual([[], []]);
    await starting;
    expect(copyIn).toHaveBeenCalledTimes(1);
    expect(log).toEqual(['finish', 'start [7]', 'sent']);
  });

  it.each([
    [
      'at once',
      () =>
        copyIn.mockImplementationOnce(() => {
          throw wrongStart;
        }),
    ],
    ['later', () => copyIn.mockReturnValueOnce(Promise.reject(wrongStart))],
  ])('that fails %s gives its descriptors back, and nothing is sent', async (_when, breakIt) => {
    breakIt();
    await expect((async () => start({ options: { files: {} } }))()).rejects.toBe(wrongStart);
    expect(log).toEqual(['open', 'abandon']);
    expect(watch.size).toBe(0);
  });

  it('whose sandbox is closed while files are copied is none', async () => {
    copyIn.mockReturnValueOnce(Promise.resolve());
    const starting = Running.start(lease, requestOf({ options: { files: {} } }));
    checkOpen.mockImplementationOnce(() => {
      throw new ClosedError('The sandbox');
    });
    await expect(starting).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    expect(log).toEqual(['open', 'abandon']);
  });

  it('with more open files than the host may give is refused before anything is opened', () => {
    checkOpenFiles.mockImplementationOnce(() => {
      throw wrongStart;
    });
    expect(() => start()).toThrow(wrongStart);
    expect(log).toEqual([]);
  });

  it('is watched with its limits', () => {
    const program = start({ wallTimeMs: null });
    expect([watch.has(program), program.limits.wallTimeMs]).toEqual([true, null]);
  });

  it('of a warm process adopts it: it counts as started, on its own pipes', async () => {
    const program = Running.adoptWarm(lease, {
      ...requestOf({ notify: true }),
      warmStart: { id: 9, pipes: [1, 2, 3] },
    } as never);
    expect(log).toEqual(['pipes 1,2,3', 'adopt 9', 'sent']);
    await program.started;
    expect([program.id, core.startedTotal]).toEqual([9, 1]);
  });
});

describe('an end', () => {
  it('is a result, counted once, and no timer is left', async () => {
    const program = start();
    listener.onStarted(1, []);
    listener.onEnded(ENDED);
    expect(await program.result).toMatchObject({ status: 'ok', cause: 'none' });
    expect([program.ended, watch.size, vi.getTimerCount()]).toEqual([true, 0, 0]);
    expect(core).toMatchObject({ startedTotal: 1, finishedTotal: 1, byStatus: { ok: 1 } });
    expect(program.usage()).toEqual({ memoryBytes: 0, cpuTimeMs: 2, wallTimeMs: 3 });
  });

  it('that is reported before the start was is a start as well', async () => {
    const program = start({ notify: true });
    listener.onEnded(ENDED);
    await program.started;
    expect(core.startedTotal).toBe(1);
  });

  it('a second report only has its descriptors closed', async () => {
    const program = start();
    listener.onEnded(ENDED);
    listener.onEnded(ENDED);
    listener.onLost(new ClosedError('The sandbox'));
    await program.result;
    expect(closeReported.mock.calls).toEqual([[['reported']]]);
    expect(core.finishedTotal).toBe(1);
  });

  it('whose outputs cannot be collected is a failure, and they are dropped', async () => {
    const program = start();
    stdio.collect.mockImplementationOnce(() => {
      throw wrongStart;
    });
    listener.onEnded(ENDED);
    expect(await refused(program)).toBe(wrongStart);
    expect(log.slice(-1)).toEqual(['drop']);
  });

  it('at whose last chunk a callback throws is a failure; nothing is copied out or sent', async () => {
    const program = start();
    const thrown = new Error('of the caller');
    stdio.collect.mockImplementationOnce(() => {
      program.fail(thrown);
      return 'collected';
    });
    listener.onEnded(ENDED);
    expect(await refused(program)).toBe(thrown);
    expect([closeOutputs.mock.calls, copyOutFiles.mock.calls]).toEqual([[['collected']], []]);
    expect([log.slice(-2), vi.getTimerCount()]).toEqual([['sent', 'drop'], 0]);
  });

  it('after a callback threw is a failure with its error, and nothing is collected', async () => {
    const program = start();
    const thrown = new Error('of the caller');
    program.fail(thrown);
    program.fail(new Error('a second one'));
    expect(log.slice(-1)).toEqual(['signal 9 killed true']);
    listener.onEnded(ENDED);
    expect(await refused(program)).toBe(thrown);
    expect(stdio.collect).not.toHaveBeenCalled();
  });
});

describe('a kill', () => {
  it('leaves the grace, then kills all of it; the wall limit leaves none', () => {
    const program = start({ options: { killGraceMs: 100 } });
    program.end();
    expect(log.slice(-1)).toEqual(['signal 15 killed true']);
    vi.advanceTimersByTime(100);
    expect(log.slice(-1)).toEqual(['signal 9 killed true']);
    start({ options: { killGraceMs: 100 } }).endFor('wall-limit');
    expect(log.slice(-1)).toEqual(['signal 9 wall-limit true']);
  });

  it('for memory that its group does not count has it measured first', () => {
    start().endFor('memory-limit', 70_000);
    expect(log.slice(-2)).toEqual(['held 70000', 'signal 9 memory-limit true']);
  });

  it('whose report does not come is told all the same, without files', async () => {
    const program = start({ options: { copyOut: ['a'] } });
    program.endFor('wall-limit');
    vi.advanceTimersByTime(1000);
    expect(await program.result).toMatchObject({ cause: 'wall-limit', files: { copyOut: undefined } });
    listener.onEnded(ENDED);
    expect(closeReported).toHaveBeenCalledTimes(1);
  });

  it('in a sandbox that is closed meanwhile has a result; a close or a loss alone has none', async () => {
    const killed = start();
    killed.end();
    listener.onLost(new ClosedError('The sandbox'));
    expect(await killed.result).toMatchObject({ cause: 'killed' });
    const closed = start();
    listener.onLost(new ClosedError('The sandbox'));
    expect(await refused(closed)).toMatchObject({ code: 'SBX_CLOSED' });
    const lost = start();
    const error = new SbxError({ code: 'SBX_SANDBOX_LOST', message: 'gone' });
    lost.end();
    listener.onLost(error);
    expect(await refused(lost)).toBe(error);
    expect([log.slice(-1), vi.getTimerCount(), watch.size]).toEqual([['abandon'], 0, 0]);
  });
});

describe('a program that does not start', () => {
  it('rejects with why, also for who waits for its start', async () => {
    const program = start({ notify: true });
    const failed = refused(program);
    listener.onFailed({} as never);
    expect(await failed).toBe(wrongStart);
    await expect(program.started).rejects.toBe(wrongStart);
    expect([program.ended, core.startedTotal, watch.size]).toEqual([true, 0, 0]);
  });

  it('for a file of its outputs is told by that', async () => {
    const ofOutput = new SbxError({ code: 'SBX_FILE_DENIED', message: 'no' });
    stdio.outputError.mockReturnValueOnce(ofOutput);
    const program = start();
    const failed = refused(program);
    listener.onFailed({} as never);
    expect(await failed).toBe(ofOutput);
  });
});

it('a terminal is attached when the program has one', () => {
  start({ notify: true });
  listener.onStarted(1, [33]);
  expect(log.slice(-1)).toEqual(['terminal 33 true']);
});
