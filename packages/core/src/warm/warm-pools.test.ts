// Filling and refilling with fake processes: how many start, when, and what a request gets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineCore } from '../engine/core.js';
import type { LaunchSpec } from './launch-spec.js';
import type { WarmProcessOptions } from './warm-process.js';

/** Comes to its entry file when the test says so. */
class FakeProcess {
  static readonly all: FakeProcess[] = [];
  readonly launchSpec: LaunchSpec;
  memoryBytes = 0;
  isWarm = false;
  gateId: number;
  isClosed = false;
  isGone = false;
  noteOpened = vi.fn();
  readonly options: WarmProcessOptions;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor(options: WarmProcessOptions) {
    this.options = options;
    this.launchSpec = options.launchSpec;
    this.gateId = FakeProcess.all.push(this);
  }
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }
  async becomeWarm(): Promise<void> {
    this.isWarm = true;
    this.memoryBytes = 10;
    this.#resolve();
    await turn();
  }
  async fail(error: Error): Promise<void> {
    this.#reject(error);
    await turn();
  }
  fits(): boolean {
    return true;
  }
  activate(): object | null {
    this.isWarm = false;
    return this.isGone ? null : { from: this };
  }
  close(): void {
    this.isClosed = true;
    this.isWarm = false;
  }
}
class FakeCannotHoldError extends Error {}
const startInFresh = vi.fn((_core: unknown, _request: object) => ({ from: 'fresh' }));

vi.doMock('./warm-process.js', () => ({ WarmProcess: FakeProcess, CannotHoldError: FakeCannotHoldError }));
vi.doMock('../run/one-shot.js', () => ({ startInFresh }));
const { StandbyPool } = await import('./warm-pools.js');

const turn = async () => {
  for (let at = 0; at < 5; at += 1) await Promise.resolve();
};
/** The process that was started last. */
const last = () => FakeProcess.all.at(-1)!;
const alive = () => FakeProcess.all.filter(({ isClosed }) => !isClosed);

function specOf(key = 'a', mayWait = true): LaunchSpec {
  return { key, mayWait, file: 'f', args: [], entry: 'e', files: {}, options: {}, limits: {} } as never;
}

function open({ memoryBytes = 2 ** 40, machineCpus = 4 } = {}) {
  const gate: { opened?: (id: number) => void } = {};
  const native = {
    Gate: class {
      constructor(opened: (id: number) => void) {
        gate.opened = opened;
      }
      close() {}
    },
    holdLoop: vi.fn(),
    releaseLoop: vi.fn(),
  };
  const engine = { reserved: 0, isFull: false };
  const pool = {
    reserve: (count: number) => {
      engine.reserved += count;
    },
    get isFull() {
      return engine.isFull;
    },
  };
  const closers = new Set();
  const core = { native, pool, closers, machineCpus, checkOpen: () => undefined } as unknown as EngineCore;
  const standby = new StandbyPool(core, { memoryBytes });
  return { standby, engine, gate, closers };
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeProcess.all.length = 0;
  startInFresh.mockClear();
});
afterEach(() => void vi.useRealTimers());

describe('filling', () => {
  it('starts as many at once as half the CPUs, and the next when one is warm', async () => {
    const { standby } = open({ machineCpus: 4 });
    standby.keep('f', 3, specOf());
    expect(FakeProcess.all).toHaveLength(2);
    await last().becomeWarm();
    expect(FakeProcess.all).toHaveLength(3);
    expect(standby.counters().f).toMatchObject({ waiting: 1, starting: 2, started: 3 });
  });

  it('stops where all together would hold too much memory, and says so', async () => {
    const { standby } = open({ memoryBytes: 64 * 2 ** 20 + 10, machineCpus: 64 });
    standby.keep('f', 3, specOf());
    expect(FakeProcess.all).toHaveLength(1);
    expect(standby.counters().f?.reason).toMatch(/would pass the 67108874 bytes/);
  });

  it('is ready when nothing is about to be started', async () => {
    const { standby } = open();
    const isReady = vi.fn();
    standby.keep('f', 1, specOf());
    void standby.ready().then(isReady);
    await turn();
    expect(isReady).not.toHaveBeenCalled();
    await last().becomeWarm();
    expect(isReady).toHaveBeenCalled();
  });

  it('tries again after a failure, later', async () => {
    const { standby } = open();
    standby.keep('f', 1, specOf());
    await last().fail(new Error('no such program'));
    expect(standby.counters().f).toMatchObject({ lost: 1, reason: 'no such program' });
    expect(FakeProcess.all).toHaveLength(1);
    vi.advanceTimersByTime(1100);
    expect(FakeProcess.all).toHaveLength(2);
  });

  it('gives up where the machine cannot hold programs at all', async () => {
    const { standby } = open();
    standby.keep('f', 1, specOf());
    await last().fail(new FakeCannotHoldError('no fanotify'));
    vi.advanceTimersByTime(100_000);
    expect(FakeProcess.all).toHaveLength(1);
    expect(standby.counters().f?.reason).toBe('no fanotify');
    await standby.ready();
  });

  it('dismisses those beyond a lower count', async () => {
    const { standby, engine } = open();
    standby.keep('f', 2, specOf());
    standby.keep('f', 1, specOf());
    expect(alive()).toHaveLength(1);
    expect(engine.reserved).toBe(1);
  });
});

it('tells the process whose file was opened, and no other', () => {
  const { standby, gate } = open();
  standby.keep('f', 2, specOf());
  const [first, second] = FakeProcess.all;
  gate.opened!(second!.gateId);
  expect([first!.noteOpened.mock.calls, second!.noteOpened.mock.calls]).toEqual([[], [[]]]);
});

describe('a request', () => {
  async function warm(count = 1) {
    const parts = open();
    parts.standby.keep('f', count, specOf());
    for (let at = 0; at < count; at += 1) await FakeProcess.all[at]!.becomeWarm();
    return parts;
  }

  it('gets a warm process, and another is started a little later', async () => {
    const { standby } = await warm();
    expect(await standby.spawn('f', specOf(), { code: 'x' })).toEqual({ from: FakeProcess.all[0] });
    expect(FakeProcess.all).toHaveLength(1);
    vi.advanceTimersByTime(20);
    expect(FakeProcess.all).toHaveLength(2);
    expect(standby.counters().f).toMatchObject({ warm: 1, cold: 0 });
  });

  it('and another soon, however closely requests follow each other', async () => {
    const { standby } = await warm(4);
    for (let at = 0; at < 6; at += 1) {
      await standby.spawn('f', specOf(), { code: 'x' });
      vi.advanceTimersByTime(19);
    }
    expect(FakeProcess.all.length).toBeGreaterThan(4);
  });

  it('goes on to the next when one has gone', async () => {
    const { standby } = await warm(2);
    FakeProcess.all[0]!.isGone = true;
    expect(await standby.spawn('f', specOf(), { code: 'x' })).toEqual({ from: FakeProcess.all[1] });
    expect(standby.counters().f).toMatchObject({ warm: 1, lost: 1 });
  });

  it.each<[why: string, spec: LaunchSpec, fresh: boolean]>([
    ['asks for a fresh one', specOf(), true],
    ['is of another launch spec', specOf('b'), false],
    ['has a CPU set', specOf('a', false), false],
  ])('is started with its code when it %s', async (_why, spec, fresh) => {
    const { standby } = await warm();
    expect(await standby.spawn('f', spec, { code: 'x', fresh })).toEqual({ from: 'fresh' });
    expect(startInFresh.mock.calls[0]![1]).toMatchObject({
      options: { files: { e: 'x' } },
      onDemand: fresh,
    });
    expect(standby.counters().f).toMatchObject({ warm: 0, cold: 1, waiting: 1 });
  });

  it('has precedence over a warm process where every sandbox is in use', async () => {
    const { standby, engine } = await warm();
    await standby.spawn('f', specOf('b'), { code: 'x' });
    expect(alive()).toHaveLength(1);
    engine.isFull = true;
    await standby.spawn('f', specOf('b'), { code: 'x' });
    expect(alive()).toHaveLength(0);
  });

  it('that is aborted already starts nothing', async () => {
    const { standby } = await warm();
    const reason = new Error('enough');
    const call = standby.spawn('f', specOf(), { code: 'x', signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(last().isWarm).toBe(true);
  });
});

it('closed, it ends what waits, gives back its places and takes no request', async () => {
  const { standby, engine, closers } = open();
  standby.keep('f', 2, specOf());
  standby.close();
  standby.close();
  expect([alive().length, engine.reserved, closers.size]).toEqual([0, 0, 0]);
  await standby.ready();
  await expect(standby.spawn('f', specOf(), { code: 'x' })).rejects.toThrow(/closed/);
  vi.advanceTimersByTime(100_000);
  expect(FakeProcess.all).toHaveLength(2);
});
