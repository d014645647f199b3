// Groups whose programs are judged each for itself, or handed out alive.
import type { GroupPipe, GroupProgram } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { descendants } from '../helpers/proc.mjs';
import { sleep, timed, timedByOthers, until } from '../helpers/wait.js';

const sbx = useEngine();

const program = (name: string, args: string[] = [], more: Partial<GroupProgram> = {}): GroupProgram => ({
  file: t(name),
  args,
  ...more,
});
const missing: GroupProgram = { file: '/nowhere' };
const unfilled: GroupProgram = { file: t('true'), files: { f: { hostFile: '/nowhere' } } };
const pipe = (from: [number, number], to: [number, number], record?: { maxBytes: number }): GroupPipe => ({
  from: { index: from[0], fd: from[1] },
  to: { index: to[0], fd: to[1] },
  ...(record ? { record } : {}),
});
const codes = (errors: readonly ({ code: string } | null)[]) => errors.map((error) => error?.code ?? null);

const SOON_MS = 1000;

describe("settle: 'each'", () => {
  it.each([
    ['is not there', missing, 'SBX_PROGRAM_NOT_FOUND'],
    ['misses a file', unfilled, 'SBX_FILE_NOT_FOUND'],
    ['is not to be started', null, null],
  ])('one that %s: the others go on, and its ends of pipes are closed', async (_, broken, code) => {
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        settle: 'each',
        programs: [
          program('flood', ['1', '0']),
          broken,
          program('sum-fd', ['0']),
          program('sleep-ms', ['50']),
        ],
        pipes: [pipe([0, 1], [1, 0]), pipe([1, 1], [2, 0])],
      }),
    );
    expect(group.results.map((result) => result?.status ?? null)).toEqual(['exit', null, 'ok', 'ok']);
    expect(codes(group.errors)).toEqual([null, code, null, null]);
    expect(group.results[0]!.stderr.text()).toBe('EPIPE\n');
    expect(group.results[2]!.stdout.text()).toMatch(/^0 /);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('what a failed group would have handed out is closed', async () => {
    const collected = { file: 'out', collect: { maxBytes: 10, as: 'fd' } } as const;
    const broken = {
      stream: (async function* () {
        yield '';
        await sleep(100);
        throw new Error('broken');
      })(),
    };
    const run = sbx.engine.runGroup({
      programs: [program('true', [], { stdout: collected }), program('deaf', [], { stdin: broken })],
    });
    await expect(run).rejects.toMatchObject({ code: 'SBX_STREAM_SOURCE' }); // the harness counts descriptors
  });

  it('recordings are there too', async () => {
    const group = await sbx.engine.runGroup({
      settle: 'each',
      programs: [program('flood', ['1', '1000']), missing],
      pipes: [pipe([0, 1], [1, 0], { maxBytes: 10 }), pipe([1, 1], [0, 0], { maxBytes: 10 })],
    });
    expect(group.recordings[0]!.bytes.byteLength).toBeLessThanOrEqual(10);
    expect(group.recordings[1]!.totalBytes).toBe(0);
  });

  it('refused before anything starts when the request itself is wrong', async () => {
    const request = { settle: 'each', programs: [program('true')], pipes: [pipe([0, 1], [1, 0])] } as const;
    await expect(sbx.engine.runGroup(request)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
  });

  it('abort rejects with the reason', async () => {
    const signal = AbortSignal.timeout(100);
    const run = sbx.engine.runGroup({ settle: 'each', programs: [program('deaf'), missing], signal });
    await expect(run).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('abort of a group that wants to see the results', () => {
  it("settle: 'all'", async () => {
    const controller = new AbortController();
    const running = sbx.engine.runGroup({
      programs: [program('deaf'), program('exit-with', ['3']), program('burn-cpu', ['60000'])],
      signal: controller.signal,
      onAbort: 'resolve',
    });
    const names = () => descendants().map(({ name }) => name);
    const others = ['deaf', 'burn-cpu'];
    await until(2000, 'two run', () => others.every((name) => names().includes(name)));
    await until(2000, 'one has ended', () => !names().includes('exit-with'));
    await sleep(150);
    controller.abort();
    const group = await running;
    expect(group.results.map(({ status }) => status)).toEqual(['killed', 'exit', 'killed']);
    expect(group.results[0]!.stdout.text()).toBe('ready\n');
    expect(group.results[2]!.usage.cpuTimeMs).toBeGreaterThan(10);
  });

  it("settle: 'each', when one is still to be started", async () => {
    const stopped = new Promise<never>(() => undefined);
    const never = { stream: { [Symbol.asyncIterator]: () => ({ next: () => stopped }) } };
    const controller = new AbortController();
    const reason = new Error('enough');
    // Its sandbox is not ready yet when the abort comes.
    await withEngine({ parallelism: 1, readyCount: 0 }, async (engine) => {
      const run = engine.runGroup({
        settle: 'each',
        programs: [program('sum-fd', ['0'], { stdin: never }), program('deaf')],
        signal: controller.signal,
        onAbort: 'resolve',
      });
      await until(1000, 'one is on its way', () => engine.counters().sandboxes > 0);
      controller.abort(reason);
      const group = await run;
      for (const [index, error] of group.errors.entries()) {
        if (error === null) expect(group.results[index]!.status).toBe('killed');
        else expect([error.code, error.cause]).toEqual(['SBX_ABORTED', reason]);
      }
      expect(group.errors[1]?.code).toBe('SBX_ABORTED');
    });
  });
});

describe('spawnGroup', () => {
  it('streams of any program, pipes between them, results at the end', async () => {
    await using group = await sbx.engine.spawnGroup({
      programs: [
        program('copy-fd', ['0', '3'], { stdin: 'pipe' }),
        program('copy-fd', ['3', '1'], { stdout: 'pipe' }),
        program('write-file', ['out', '10'], { copyOut: ['out'] }),
      ],
      pipes: [pipe([0, 3], [1, 3], { maxBytes: 4 })],
    });
    const [first, second] = group.processes;
    const lines = second!.stdout!.lines();
    for (const word of ['one', 'two']) {
      await first!.stdin!.write(`${word}\n`);
      expect((await lines.next()).value).toBe(word);
    }
    await first!.stdin!.end();
    const { results, recordings } = await group.result;
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(results[2]!.files.out!.bytes).toHaveLength(10);
    expect([recordings[0]!.text(), recordings[0]!.totalBytes]).toEqual(['one\n', 8]);
    expect(group.errors).toEqual([null, null, null]);
  });

  it('one that cannot start takes the group down with its error', async () => {
    const spawn = sbx.engine.spawnGroup({
      programs: [program('flood', ['1', '0'], { stdin: 'pipe', stdout: 'pipe' }), missing],
    });
    await expect(spawn).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
  });

  it("settle: 'each': it is null, with its error, and the others live", async () => {
    await using group = await sbx.engine.spawnGroup({
      settle: 'each',
      programs: [program('copy-fd', ['0', '1'], { stdin: 'pipe' }), missing],
    });
    expect(group.processes.map((process) => process !== null)).toEqual([true, false]);
    expect(codes(group.errors)).toEqual([null, 'SBX_PROGRAM_NOT_FOUND']);
    await group.processes[0]!.stdin!.end('hello');
    const { results, errors } = await group.result;
    expect(results.map((result) => result?.stdout.text() ?? null)).toEqual(['hello', null]);
    expect(errors[1]).toBe(group.errors[1]);
  });

  it("settle: 'each': one that is not to be started is null, without an error", async () => {
    await using group = await sbx.engine.spawnGroup({ settle: 'each', programs: [null, program('true')] });
    expect(group.processes.map((process) => process !== null)).toEqual([false, true]);
    expect(group.errors).toEqual([null, null]);
    const { results } = await group.result;
    expect(results.map((result) => result?.status ?? null)).toEqual([null, 'ok']);
  });

  it.each([
    ['kill', (group: { kill(): void }) => group.kill()],
    ['close', (group: { close(): Promise<void> }) => group.close()],
  ])('%s ends all of it', async (_, end) => {
    await using group = await sbx.engine.spawnGroup({
      programs: [
        program('deaf', [], { stdout: 'pipe' }),
        // The kernel keeps much of many forks.
        program('fork-bomb', ['plain'], { limits: { memoryBytes: null } }),
        program('deaf', ['spin']),
      ],
      pipes: [pipe([1, 1], [2, 0])],
    });
    const { value, ms } = await timedByOthers(async () => {
      await end(group);
      return group.result;
    });
    expect(value.results.map(({ status }) => status)).toEqual(['killed', 'killed', 'killed']);
    expect(ms).toBeLessThan(150);
  });

  it('abort: rejects, or resolves where that was asked for', async () => {
    const programs = [program('deaf'), program('deaf', ['spin'])];
    const controller = new AbortController();
    const { signal } = controller;
    await using rejecting = await sbx.engine.spawnGroup({ programs, signal });
    await using resolving = await sbx.engine.spawnGroup({ programs, signal, onAbort: 'resolve' });
    controller.abort();
    await expect(rejecting.result).rejects.toBe(signal.reason);
    const { results } = await resolving.result;
    expect(results.map(({ status }) => status)).toEqual(['killed', 'killed']);
  });

  it('the engine’s close ends it', async () => {
    const group = await withEngine({}, async (engine) => {
      const living = await engine.spawnGroup({
        programs: [program('flood', ['1', '0'], { stdout: 'pipe' }), program('deaf')],
        pipes: [pipe([1, 1], [0, 0])],
      });
      await sleep(20);
      return living;
    });
    const { results } = await group.result;
    expect(results.map(({ status }) => status)).toEqual(['killed', 'killed']);
  });
});
