import { InvalidOptionsError, Output, type RunResult } from '@sbx/core';
import { expect, it, vi } from 'vitest';
import { CancelledBefore } from '../errors.js';
import { execute } from './execute.js';
import type { Job, JobPipe, JobProgram } from './job.js';
import type { RunScope } from './scope.js';

const MiB = 2 ** 20;
const SETTINGS = {
  workDir: '/w',
  env: [],
  extraMemoryBytes: 0,
  outputLimitBytes: MiB,
  openFileLimit: 16,
  enableCpuRate: false,
  diskBytes: MiB,
  diskFileCount: 16,
  ownStackBytes: null,
  tickMs: 0,
  strict: false,
  collectMaxBytes: 1000,
  copyOutTotalBytes: 1000,
  runnerConfig: { cgroupType: 2, clone3: false },
};
const NOTHING = new Output(new Uint8Array(0));

function programOf(more: Partial<JobProgram> = {}): JobProgram {
  const limits = {
    cpuNs: 1e9,
    clockNs: 1e9,
    explicitClockNs: 0,
    memoryBytes: MiB,
    stackBytes: 0,
    processCount: 1,
    cpuRate: 0,
    cpuSet: '',
    dataSegment: false,
    addressSpace: false,
  };
  return {
    args: ['/bin/true'],
    env: [],
    files: [],
    tty: false,
    limits,
    copyIn: [],
    copyOut: [],
    cachedNames: new Set(),
    copyOutMax: 100,
    truncate: false,
    ...more,
  };
}

const resultOf = (more: Partial<RunResult> = {}) =>
  ({
    status: 'ok',
    exitCode: 0,
    exitSignal: null,
    stdout: NOTHING,
    stderr: NOTHING,
    outputs: {},
    files: {},
    fileErrors: [],
    usage: { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: 3, fileCacheBytes: 0, processPeakCount: 1 },
    ...more,
  }) as unknown as RunResult;

function run(programs: JobProgram[], engine: object, { pipes = [], strict = false, signal }: Rest = {}) {
  const job: Job = { requestId: '', programs, pipes };
  const dropped = vi.fn(async () => undefined);
  const scope = {
    engine,
    job,
    settings: { ...SETTINGS, strict },
    store: { drop: dropped },
    sources: null,
    signal: signal ?? new AbortController().signal,
    cpuSet: null,
    streams: null,
    budget: { totalBytes: 10 ** 6, shareBytes: 10 ** 6, leftBytes: 10 ** 6 },
    observer: null,
  } as unknown as RunScope;
  return { done: execute(scope, job), dropped };
}

interface Rest {
  pipes?: JobPipe[];
  strict?: boolean;
  signal?: AbortSignal;
}

it('one program is a run, none is nothing', async () => {
  const engine = { run: vi.fn(async () => resultOf()) };
  expect(await run([programOf()], engine).done).toMatchObject([{ status: 'Accepted', exitStatus: 0 }]);
  expect(engine.run).toHaveBeenCalledWith('/bin/true', [], expect.objectContaining({ onAbort: 'resolve' }));
  expect(await run([], engine).done).toEqual([]);
});

it('a program that cannot be planned is not run', async () => {
  const engine = { run: vi.fn() };
  expect(await run([programOf({ args: [] })], engine).done).toMatchObject([{ status: 'Internal Error' }]);
  expect(engine.run).not.toHaveBeenCalled();
});

it('what cannot be copied in keeps a program from starting; strict, it starts without that', async () => {
  const copyIn: JobProgram['copyIn'] = [
    ['/', { kind: 'content', text: 'x' }],
    ['a', { kind: 'content', text: 'y' }],
  ];
  const engine = { run: vi.fn(async () => resultOf()) };
  expect(await run([programOf({ copyIn })], engine).done).toMatchObject([{ status: 'File Error' }]);
  expect(engine.run).not.toHaveBeenCalled();
  expect(await run([programOf({ copyIn })], engine, { strict: true }).done).toMatchObject([
    { status: 'Accepted' },
  ]);
  expect(engine.run).toHaveBeenCalledWith(
    '/bin/true',
    [],
    expect.objectContaining({ files: expect.objectContaining({ a: { text: 'y', mode: 0o777 } }) }),
  );
});

it('of a group those that cannot start are told so, and the others run', async () => {
  const runGroup = vi.fn(async () => ({ results: [null, resultOf()], errors: [null, null], recordings: [] }));
  const outcomes = await run([programOf({ args: [] }), programOf()], { runGroup }).done;
  expect(outcomes.map(({ status }) => status)).toEqual(['Internal Error', 'Accepted']);
  expect(runGroup).toHaveBeenCalledWith(
    expect.objectContaining({
      programs: [null, expect.objectContaining({ file: '/bin/true' })],
      settle: 'each',
    }),
  );
});

it('an option that only one program has wrong is its failure alone', async () => {
  const wrong = new InvalidOptionsError({
    field: 'request.programs[0].limits.cpuSet',
    rule: 'choice',
    expected: 'must be CPUs that there are',
  });
  const runGroup = vi
    .fn()
    .mockRejectedValueOnce(wrong)
    .mockResolvedValueOnce({ results: [null, resultOf()], errors: [null, null], recordings: [] });
  const outcomes = await run([programOf(), programOf()], { runGroup }).done;
  expect(outcomes.map(({ status, error }) => [status, error])).toEqual([
    ['Internal Error', expect.stringContaining('cpuset')],
    ['Accepted', ''],
  ]);
  expect(runGroup).toHaveBeenCalledTimes(2);
});

it('what a proxy recorded belongs to the writer, unless a file has that name', async () => {
  const pipe = {
    writer: { index: 0, fd: 1 },
    reader: { index: 1, fd: 0 },
    proxy: true,
    name: 'talk',
    max: 10,
  };
  const recordings = [new Output(Buffer.from('words'))];
  const runGroup = vi.fn(async () => ({ results: [resultOf(), resultOf()], errors: [], recordings }));
  const [writer, reader] = await run([programOf(), programOf()], { runGroup }, { pipes: [pipe] }).done;
  expect(Buffer.from(writer!.files.get('talk')!).toString()).toBe('words');
  expect(reader!.files.size).toBe(0);
  expect(runGroup).toHaveBeenCalledWith(
    expect.objectContaining({
      pipes: [{ from: pipe.writer, to: pipe.reader, record: { maxBytes: 10, drain: true } }],
    }),
  );
});

it('a recording takes no file’s place', async () => {
  const pipe = {
    writer: { index: 0, fd: 3 },
    reader: { index: 1, fd: 0 },
    proxy: true,
    name: 'talk',
    max: 10,
  };
  const files: JobProgram['files'] = [
    { kind: 'content', text: '' },
    { kind: 'collector', name: 'talk', max: 9, pipe: false },
    { kind: 'content', text: '' },
  ];
  const written = resultOf({ outputs: { 1: new Output(Buffer.from('own')) } });
  const recordings = [new Output(Buffer.from('words'))];
  const runGroup = async () => ({ results: [written, resultOf()], errors: [], recordings });
  const [writer] = await run([programOf({ files }), programOf()], { runGroup }, { pipes: [pipe] }).done;
  expect(Buffer.from(writer!.files.get('talk')!).toString()).toBe('own');
});

it('a cancelled request fails as a whole, and what was stored is dropped', async () => {
  const signal = AbortSignal.abort();
  await expect(
    run([programOf()], { run: () => Promise.reject(new Error('x')) }, { signal }).done,
  ).rejects.toThrow(CancelledBefore);
  const runGroup = async () => ({
    results: [resultOf(), null],
    errors: [null, new TypeError('ours')],
    recordings: [],
  });
  const { done, dropped } = run([programOf(), programOf()], { runGroup });
  await expect(done).rejects.toThrow('ours');
  expect(dropped).toHaveBeenCalledWith([expect.objectContaining({ status: 'Accepted' })]);
});
