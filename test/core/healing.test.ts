/**
 * The helper of an engine dies: what runs is lost and may be tried again, another helper takes its place, and
 * the engine is as it was: limits, verdicts, counters, warm programs; nothing of the old one is left.
 */
import { channel } from 'node:diagnostics_channel';
import { type Engine, isSbxError } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, t, withEngine } from '../helpers/engine.js';
import { descendants } from '../helpers/proc.mjs';
import { sleep, until } from '../helpers/wait.js';
import { killZygote, nextLoss, restarted, withBlockableEngine, zygotes } from '../helpers/zygote.js';

const runsTrue = async (engine: Engine) => (await engine.run(t('true'))).ok;
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isSbxError(error) ? `${error.code} ${error.retryable}` : String(error)),
  );
const LOST = 'SBX_SANDBOX_LOST true';

describe('the zygote is killed', () => {
  it('while a program runs and a session is open: both are lost, the next ones are fine, and the counters are even', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const events: unknown[] = [];
      const note = (message: unknown) => void events.push(message);
      channel('sbx:helper:lost').subscribe(note);
      channel('sbx:helper:restarted').subscribe(note);
      const sandbox = await engine.createSandbox();
      const running = outcomeOf(engine.run(t('sleep-ms'), ['60000']));
      await until(2000, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      expect(engine.isReady).toBe(true);
      killZygote();
      expect(await running).toBe(LOST);
      expect(await outcomeOf(sandbox.run(t('true')))).toBe(LOST);
      expect(await runsTrue(engine)).toBe(true);
      await using another = await engine.createSandbox();
      expect((await another.run(t('true'))).ok).toBe(true);
      await sandbox.close();
      const { startedTotal, finishedTotal, running: alive, helperRestartsTotal } = engine.counters();
      expect([finishedTotal, alive, helperRestartsTotal]).toEqual([startedTotal, 0, 1]);
      expect(events).toEqual([
        { error: expect.objectContaining({ code: 'SBX_SANDBOX_LOST' }) },
        { restarts: 1, downMs: expect.any(Number) },
      ]);
      channel('sbx:helper:lost').unsubscribe(note);
      channel('sbx:helper:restarted').unsubscribe(note);
    }));

  it('limits and verdicts are as before, and sandboxes stand ready again', () =>
    withEngine({ parallelism: 2, readyCount: 2 }, async (engine) => {
      const ready = engine.counters().ready;
      killZygote();
      await restarted(engine, 1);
      await until(2000, 'all stand ready again', () => engine.counters().ready >= ready);
      const limits = { memoryBytes: 16 * MiB, cpuTimeMs: 100 };
      const hog = await engine.run(t('hold-memory'), ['private', `${64 * MiB}`], { limits });
      expect(hog.status).toBe('memory-limit');
      expect((await engine.run(t('burn-cpu'), ['5000'], { limits })).status).toBe('cpu-limit');
    }));

  it('again and again, with runs at every moment: each is done or may be tried again, and in the end all are done', () =>
    withEngine({ parallelism: 4 }, async (engine) => {
      const seen = new Set<string>();
      for (let round = 1; round <= 5; round += 1) {
        const runs = Array.from({ length: 8 }, async (_, i) => {
          await sleep(i * 3);
          seen.add(await outcomeOf(engine.run(t('sleep-ms'), ['5'])));
        });
        await sleep(8);
        killZygote();
        await Promise.all(runs);
        await restarted(engine, round);
      }
      for (const outcome of seen) expect(['done', LOST]).toContain(outcome);
      expect(await runsTrue(engine)).toBe(true);
      expect(zygotes()).toHaveLength(1);
    }));

  it('programs that waited for their request are started anew', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const standby = engine.standby();
      const program = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
      standby.keep('sh', { program, count: 1 });
      await standby.ready();
      killZygote();
      await restarted(engine, 1);
      const run = await standby.spawn('sh', { ...program, code: 'echo hello' });
      expect((await run.result).status).toBe('ok');
      await until(5000, 'one waits again', () => standby.counters().sh!.waiting === 1);
      await standby.close();
    }));
});

describe('another zygote cannot be started', () => {
  it('runs say why and may be tried again, until it can', () =>
    withBlockableEngine({ parallelism: 1 }, async ({ engine, source, block, unblock }) => {
      block();
      killZygote();
      await until(2000, 'it has been tried', async () => {
        const error = await engine.run(t('true')).catch((caught: Error) => caught);
        return isSbxError(error) && error.retryable && error.message.includes(source);
      });
      expect(engine.isReady).toBe(false);
      unblock();
      await restarted(engine, 1);
      expect(await runsTrue(engine)).toBe(true);
    }));

  it('the engine can be closed all the same', () =>
    withBlockableEngine({ parallelism: 1 }, async ({ engine, block }) => {
      block();
      killZygote();
      await until(2000, 'the engine knows', () => !engine.isReady);
    }));

  it('closing meanwhile leaves nothing, and who waits is told', () =>
    withEngine({ parallelism: 1 }, async (engine) => {
      const known = nextLoss();
      killZygote();
      await known;
      const waiting = outcomeOf(engine.run(t('true')));
      await engine.close();
      expect(['SBX_CLOSED false', LOST, 'done']).toContain(await waiting);
      expect(await outcomeOf(engine.run(t('true')))).toBe('SBX_CLOSED false');
    }));
});
