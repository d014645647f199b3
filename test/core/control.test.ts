// Whatever a program does, it ends when told to, and we know within 100 ms.
import { getEventListeners } from 'node:events';
import type { Engine, Process, Sandbox } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { descendants } from '../helpers/proc.mjs';
import { sleep, timed, timedByOthers, until } from '../helpers/wait.js';

const sbx = useEngine();

/** From the order to the settled promise: the bar of the issue. */
const SETTLE_MS = 100;

/** Programs that would rather stay. */
const stubborn: [title: string, program: string, args: string[]][] = [
  ['sleeps', 'sleep-ms', ['60000']],
  ['spins in four threads', 'burn-cpu', ['60000', '4']],
  ['ignores every signal', 'deaf', []],
  ['ignores every signal and spins', 'deaf', ['spin']],
  ['stopped itself', 'stop', []],
  ['stopped, with its whole group', 'stop', ['all']],
  ['forks for ever', 'fork-bomb', ['plain']],
  ['forks for ever in new sessions, deaf', 'fork-bomb', ['deaf']],
  ['fills its threads', 'thread-bomb', []],
  ['is stuck in a chain of vforks', 'vfork-chain', ['20']],
  ['floods its output from 8 processes', 'flood-many', ['8']],
  ['closed its output', 'close-all', ['60000']],
  ['attacks pid 1', 'kill-around', []],
];

/**
 * Limits are far away, only the order ends them; but for two: one may be done with its attack, and the
 * other's memory may be full of what the kernel keeps of refused forks.
 */
const MAY_END_BEFORE = ['kill-around', 'fork-bomb'];

const far = { cpuTimeMs: null, wallTimeMs: null, outputBytes: null } as const;
const options = { stdout: 'null', stderr: 'null', limits: far } as const;

type Started = { sandbox: Sandbox; process: Process };

async function start(engine: Engine, program: string, args: string[]): Promise<Started> {
  const sandbox = await engine.createSandbox();
  const process = await sandbox.spawn(t(program), args, options);
  await sleep(100); // into the middle of what it does
  return { sandbox, process };
}

async function killAndWait({ process }: Started): Promise<void> {
  process.kill();
  await process.result;
}

const ways: [string, (started: Started) => Promise<unknown>][] = [
  ['kill()', killAndWait],
  ['process.close()', ({ process }) => process.close()],
  ['sandbox.close()', ({ sandbox }) => sandbox.close()],
];

describe.each(ways)('%s', (_, way) => {
  it.each(stubborn)('a program that %s', async (_, program, args) => {
    const started = await start(sbx.engine, program, args);
    await using _sandbox = started.sandbox;
    const { ms } = await timedByOthers(() => way(started));
    const result = await started.process.result;
    if (!MAY_END_BEFORE.includes(program)) expect(result.status).toBe('killed');
    expect(ms).toBeLessThan(SETTLE_MS);
  });
});

describe('AbortSignal', () => {
  it.each(stubborn)('ends a program that %s', async (_, program, args) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const run = sbx.engine.run(t(program), args, { ...options, signal: controller.signal });
    const outcome = run.then(
      () => 'ended',
      (error: unknown) => error,
    );
    await sleep(150);
    const { value, ms } = await timedByOthers(() => {
      controller.abort(reason);
      return outcome;
    });
    if (value !== 'ended' || !MAY_END_BEFORE.includes(program)) expect(value).toBe(reason);
    expect(ms).toBeLessThan(SETTLE_MS);
  });

  it('aborted before: rejects at once and starts nothing', async () => {
    const started = sbx.engine.counters().startedTotal;
    const reason = new Error('never');
    const signal = AbortSignal.abort(reason);
    await expect(sbx.engine.run(t('true'), [], { signal })).rejects.toBe(reason);
    await expect(sbx.engine.createSandbox({ signal })).rejects.toBe(reason);
    expect(sbx.engine.counters().startedTotal).toBe(started);
  });

  it('aborted at each moment of a short run: a result or the reason, never anything else', async () => {
    for (let i = 0; i < 60; i++) {
      const controller = new AbortController();
      const reason = new Error(`at ${i / 10} ms`);
      const run = sbx.engine.run(t('sleep-ms'), ['2'], { signal: controller.signal });
      await Promise.race([run.catch(() => {}), sleep(i / 10)]);
      controller.abort(reason);
      const outcome = await run.then(
        (result) => result.status,
        (error: unknown) => error,
      );
      expect(outcome === 'ok' || outcome === reason).toBe(true);
    }
  });

  it('aborted after: the result stays', async () => {
    const controller = new AbortController();
    const result = await sbx.engine.run(t('true'), [], { signal: controller.signal });
    controller.abort();
    expect(result.status).toBe('ok');
  });

  it('aborted while waiting in the queue: never starts', async () => {
    await withEngine({ parallelism: 1, readyCount: 1 }, async (engine) => {
      const first = engine.run(t('sleep-ms'), ['200']);
      const controller = new AbortController();
      const second = engine.run(t('sleep-ms'), ['200'], { signal: controller.signal });
      await until(1000, 'the second waits', () => engine.counters().waiting === 1);
      controller.abort(new Error('left'));
      await expect(second).rejects.toThrow('left');
      expect((await first).status).toBe('ok');
      expect(engine.counters().startedTotal).toBe(1);
    });
  });

  it('AbortSignal.timeout gives its TimeoutError', async () => {
    const run = sbx.engine.run(t('sleep-ms'), ['60000'], { signal: AbortSignal.timeout(50) });
    await expect(run).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('leaves no listener behind', async () => {
    const controller = new AbortController();
    for (let i = 0; i < 5; i++) await sbx.engine.run(t('true'), [], { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends a spawned program too', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const controller = new AbortController();
    const process = await sandbox.spawn(t('deaf'), [], { signal: controller.signal });
    controller.abort(new Error('enough'));
    const outcome = await process.result.then(
      (result) => result.status,
      (error: Error) => error.message,
    );
    expect(['killed', 'enough']).toContain(outcome);
  });
});

describe('signals and grace', () => {
  it('kill(SIGUSR1) reaches the program', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using process = await sandbox.spawn(t('sleep-ms'), ['60000']);
    await sleep(50);
    process.kill('SIGUSR1');
    expect((await process.result).exitSignal).toBe('SIGUSR1');
  });

  it('kill(SIGTERM) lets it say goodbye', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using process = await sandbox.spawn(t('polite'), ['10'], { stdout: 'pipe' });
    let seen = '';
    for await (const chunk of process.stdout!) {
      seen += Buffer.from(chunk).toString();
      if (seen === 'ready\n') process.kill('SIGTERM');
    }
    expect(seen).toBe('ready\nbye\n');
    expect((await process.result).exitCode).toBe(7);
  });

  it.each([
    ['enough: it ends by itself', 2000, 7],
    ['too short: it is killed', 50, null],
  ] as const)('killGraceMs %s', async (_, killGraceMs, exitCode) => {
    await using sandbox = await sbx.engine.createSandbox();
    const process = await sandbox.spawn(t('polite'), ['300'], { killGraceMs, stdout: 'pipe' });
    expect((await process.stdout!.lines().next()).value).toBe('ready');
    const { ms } = await timed(() => process.close());
    const result = await process.result;
    expect(result.exitCode).toBe(exitCode);
    expect(ms).toBeGreaterThan(killGraceMs === 50 ? 45 : 290);
    expect(ms).toBeLessThan((killGraceMs === 50 ? 50 : 300) + SETTLE_MS);
  });

  it('a stopped program goes on with SIGCONT', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using process = await sandbox.spawn(t('stop'));
    const isStopped = () => descendants().some(({ name, state }) => name === 'stop' && state === 'T');
    await until(2000, 'it has stopped itself', isStopped);
    process.kill('SIGCONT');
    expect((await process.result).status).toBe('ok');
  });

  it('an unknown signal is refused', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using process = await sandbox.spawn(t('sleep-ms'), ['60000']);
    expect(() => process.kill('SIGFOO' as NodeJS.Signals)).toThrow(
      expect.objectContaining({ code: 'SBX_INVALID_OPTIONS' }),
    );
    expect(() => process.kill(65)).toThrow(expect.objectContaining({ code: 'SBX_INVALID_OPTIONS' }));
  });

  it('everything may be called twice and late', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const process = await sandbox.spawn(t('true'));
    await process.result;
    process.kill();
    process.kill('SIGTERM');
    await Promise.all([process.close(), process.close()]);
    expect((await process.result).status).toBe('ok');
  });
});

describe('closing the engine', () => {
  it('ends all that run and refuses all that wait, within 100 ms', async () => {
    await withEngine({ parallelism: 2 }, async (engine) => {
      const runs = [
        engine.run(t('burn-cpu'), ['60000'], { limits: far }),
        // The kernel keeps much of many forks.
        engine.run(t('fork-bomb'), ['plain'], { limits: { ...far, memoryBytes: null } }),
        engine.run(t('deaf'), [], { limits: far }),
      ].map((run) =>
        run.then(
          (result) => result.status as string,
          (error: { code: string }) => error.code,
        ),
      );
      await until(2000, 'one waits', () => engine.counters().waiting === 1);
      await sleep(150);
      const { ms } = await timedByOthers(() => engine.close());
      const outcomes = await Promise.all(runs);
      for (const outcome of outcomes) expect(['killed', 'SBX_CLOSED']).toContain(outcome);
      expect(outcomes[2]).toBe('SBX_CLOSED');
      expect(ms).toBeLessThan(SETTLE_MS);
      await expect(engine.run(t('true'))).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    });
  });
});
