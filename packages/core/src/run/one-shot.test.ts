// One program in a sandbox of its own, with the sandbox faked: in which order things are taken, and that
// all of them are given back.
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineCore } from '../engine/core.js';
import { engineLimits } from '../options/limits.js';
import type { FreshRunOptions } from '../types/internal.js';

const log: string[] = [];
let end: (result: object) => void = () => undefined;
let begin: () => void = () => undefined;
let readAll: () => void = () => undefined;
const note = (what: string) => () => void log.push(what);

function fakeRunning() {
  const result = new Promise<object>((resolve) => {
    end = resolve;
  });
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    readAll = resolve;
  });
  const kill = () => {
    log.push('end');
    end(KILLED);
  };
  const stdio = { allRead: () => closed, closeStreams: note('close streams') };
  return { result, started, stdio, ended: false, end: kill };
}
const start = vi.fn((_lease: unknown, _request: object): unknown => {
  log.push('start');
  return fakeRunning();
});
const lease = { alive: 0, closeAfterEnd: note('close after end'), close: note('close') };
const acquire = vi.fn((_core: unknown, _spec: object) => {
  log.push('sandbox');
  return lease;
});
const closeResultFds = vi.fn();

vi.resetModules();
vi.doMock('./running.js', () => ({ Running: { start } }));
vi.doMock('./sandbox-lease.js', () => ({ SandboxLease: { acquire } }));
vi.doMock('./result.js', () => ({ closeResultFds }));
const { runOneShot, spawnOneShot, startInFresh } = await import('./one-shot.js');
afterAll(() => void vi.resetModules());

const OK = { status: 'ok', exitCode: 0, usage: { cpuTimeMs: 1, wallTimeMs: 1 } };
const KILLED = { ...OK, status: 'killed' };
const limits = engineLimits(undefined, undefined);

function coreOf() {
  const closers = new Set<() => Promise<void>>();
  const core = {
    checkOpen: () => undefined,
    options: { ceilings: null },
    limits,
    closers,
    queue: {
      acquire: vi.fn((): Promise<void> | undefined => void log.push('queue')),
      release: () => void log.push('release'),
    },
    sandboxSpec: () => ({ key: 'plain' }),
  };
  return { core: core as unknown as EngineCore, closers, queue: core.queue };
}
const run = (core: EngineCore, options?: FreshRunOptions) => runOneShot(core, 'cat', [], options);
const turn = () => new Promise(setImmediate);

beforeEach(() => {
  log.length = 0;
  lease.alive = 0;
  vi.clearAllMocks();
});

describe('a run', () => {
  it('waits in the queue before it takes a sandbox, and leaves both when it is over', async () => {
    const { core, closers, queue } = coreOf();
    let admit: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      admit = resolve;
    });
    queue.acquire.mockReturnValueOnce(waiting);
    const result = run(core);
    await turn();
    expect(log).toEqual([]);
    admit();
    await turn();
    expect([log, closers.size]).toEqual([['sandbox', 'start'], 1]);
    end(OK);
    expect(await result).toBe(OK);
    expect([log.slice(2), closers.size]).toEqual([['close after end', 'release'], 0]);
  });

  it('that cannot be started gives the sandbox and its permit back', async () => {
    const { core, closers } = coreOf();
    start.mockImplementationOnce(() => {
      throw new Error('no such folder');
    });
    await expect(run(core)).rejects.toThrow('no such folder');
    expect([log, closers.size]).toEqual([['queue', 'sandbox', 'close after end', 'release'], 0]);
  });

  it('whose sandbox still has a process is torn down at once', async () => {
    const { core } = coreOf();
    const result = run(core);
    await turn();
    lease.alive = 1;
    end(OK);
    await result;
    expect(log).toContain('close');
  });
});

describe('an abort', () => {
  it('before the run takes nothing', async () => {
    const { core } = coreOf();
    await expect(run(core, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
    expect(log).toEqual([]);
  });

  it('ends the program, waits for that, and closes what the result holds', async () => {
    const { core } = coreOf();
    const controller = new AbortController();
    const result = run(core, { signal: controller.signal });
    await turn();
    controller.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    expect(closeResultFds.mock.calls).toEqual([[KILLED]]);
    expect(log.slice(2)).toEqual(['start', 'end', 'close after end', 'release']);
  });

  it('gives the result to who asks for it, and to all when the program had ended by itself', async () => {
    const { core } = coreOf();
    const controller = new AbortController();
    const wanted = run(core, { signal: controller.signal, onAbort: 'resolve' });
    await turn();
    controller.abort();
    expect(await wanted).toBe(KILLED);
    const other = new AbortController();
    const result = run(core, { signal: other.signal });
    await turn();
    end(OK);
    other.abort();
    expect(await result).toBe(OK);
    expect(closeResultFds).not.toHaveBeenCalled();
  });
});

describe('a living program', () => {
  it('is there once it executes, outside the queue', async () => {
    const { core, queue } = coreOf();
    let isThere = false;
    const spawned = spawnOneShot(core, 'cat').then((started) => {
      isThere = true;
      return started;
    });
    await turn();
    expect([isThere, queue.acquire.mock.calls]).toEqual([false, []]);
    begin();
    const { result } = await spawned;
    end(OK);
    expect(await result).toBe(OK);
  });

  it('that is over keeps the engine waiting until its streams were read', async () => {
    const { core, closers } = coreOf();
    const spawned = spawnOneShot(core, 'cat');
    await turn();
    begin();
    const { result } = await spawned;
    end(OK);
    await result;
    expect(closers.size).toBe(1);
    readAll();
    await turn();
    expect(closers.size).toBe(0);
  });

  it('ends with the engine: program, streams, sandbox', async () => {
    const { core, closers } = coreOf();
    const spawned = spawnOneShot(core, 'cat');
    await turn();
    begin();
    await spawned;
    const [close] = closers;
    await close!();
    const order = log.filter((what) => ['end', 'close streams', 'close'].includes(what));
    expect(order).toEqual(['end', 'close streams', 'close']);
  });
});

it('a sandbox is made on demand for who asks for a fresh one', async () => {
  const { core } = coreOf();
  const request = { file: 'cat', args: [], options: {}, limits, spawned: false };
  await startInFresh(core, { ...request, onDemand: true });
  await startInFresh(core, request);
  const [[, made], [, stood]] = acquire.mock.calls as never as [[unknown, object], [unknown, object]];
  expect(stood).toEqual({ key: 'plain' });
  expect(made).not.toEqual({ key: 'plain' });
});
