/**
 * What others do to our own processes from outside: each has its documented outcome (docs/security.md, "When
 * the host is disturbed"), and nothing stays behind.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEFAULT_MOUNTS, Engine, isSbxError, type MountRow } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { engineOptions, t, withEngine } from '../helpers/engine.js';
import { isHelper } from '../helpers/leaks.js';
import { descendants } from '../helpers/proc.mjs';
import { sleep, timed, timedByOthers, until } from '../helpers/wait.js';

const helpers = (name: string) => descendants().filter((row) => isHelper(row) && row.name === name);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isSbxError(error) ? error.code : String(error)),
  );

const folders = (count: number): MountRow[] =>
  [...Array(count).keys()].map((i) => ({ kind: 'tmpfs', target: `/many/${i}` }));

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone by itself
  }
}

/** The init whose child is this program. */
function initOf(program: string): number {
  return descendants().find((row) => row.name === program)!.parent;
}

async function whileSleeping(
  engine: Engine,
  disturb: (init: number) => void,
): Promise<{ code: string; ms: number }> {
  const running = codeOf(engine.run(t('sleep-ms'), ['60000'], { limits: { wallTimeMs: 2000 } }));
  await until(2000, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
  const init = initOf('sleep-ms');
  const { value: code, ms } = await timedByOthers(() => {
    disturb(init);
    return running;
  });
  return { code, ms };
}

describe('SIGKILL from outside', () => {
  it('to init: the run is lost, within 100 ms; the next is fine', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const { code, ms } = await whileSleeping(engine, (init) => void process.kill(init, 'SIGKILL'));
      expect(code).toBe('SBX_SANDBOX_LOST');
      expect(ms).toBeLessThan(100);
      expect((await engine.run(t('true'))).ok).toBe(true);
    }));

  it('to every keeper: what runs goes on under its init, slots are made anew', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const running = engine.run(t('sleep-ms'), ['60000'], { limits: { wallTimeMs: 500 } });
      await until(2000, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      for (const { pid } of helpers('sbx-keeper')) process.kill(pid, 'SIGKILL');
      expect((await running).status).toBe('wall-limit');
      expect((await engine.run(t('true'))).ok).toBe(true);
    }));

  it('to inits that stand ready: nobody notices', () =>
    withEngine({ parallelism: 2, readyCount: 2 }, async (engine) => {
      const allReady = () => engine.counters().ready === 4;
      await until(2000, 'all stand ready', allReady);
      for (const { pid } of helpers('sbx-init')) process.kill(pid, 'SIGKILL');
      await until(2000, 'the engine knows', () => engine.counters().ready === 0);
      expect((await engine.run(t('true'))).ok).toBe(true);
      await until(2000, 'all stand ready again', allReady);
    }));

  it('to inits that are being made: others are made, nobody waits for ever', () =>
    // Many file systems, so that the making takes its time.
    withEngine(
      { parallelism: 2, readyCount: 1, mounts: [...DEFAULT_MOUNTS, ...folders(100)] },
      async (engine) => {
        const seen = new Set<string>();
        for (let round = 0; round < 40; round++) {
          const running = [1, 2, 3].map(() => codeOf(engine.run(t('true'))));
          for (let moment = 0; moment < 5; moment++) {
            for (const { pid } of helpers('sbx-init')) tryKill(pid);
            await sleep(1);
          }
          for (const code of await Promise.all(running)) seen.add(code);
        }
        for (const code of seen) expect(['done', 'SBX_SANDBOX_LOST']).toContain(code);
        await sleep(50); // a run may have one that has died this very moment
        expect((await engine.run(t('true'))).ok).toBe(true);
      },
    ));
});

describe('SIGSTOP from outside', () => {
  it('to init: abort still ends the run within 100 ms, and the sandbox is dropped', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const stop = new AbortController();
      const running = codeOf(engine.run(t('sleep-ms'), ['60000'], { signal: stop.signal }));
      await until(2000, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      process.kill(initOf('sleep-ms'), 'SIGSTOP');
      const { ms } = await timedByOthers(async () => {
        stop.abort();
        await running;
      });
      expect(ms).toBeLessThan(100);
      expect((await engine.run(t('true'))).ok).toBe(true);
      await until(500, 'the stopped one is gone', () => descendants().every((row) => row.state !== 'T'));
    }));

  it('to init for a while: the limit holds from the moment it goes on', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const running = engine.run(t('sleep-ms'), ['60000'], { limits: { wallTimeMs: 1000 } });
      await until(900, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      const init = initOf('sleep-ms');
      process.kill(init, 'SIGSTOP');
      await sleep(1200);
      process.kill(init, 'SIGCONT');
      const result = await running;
      expect(result.status).toBe('wall-limit');
      expect(result.usage.wallTimeMs).toBeGreaterThanOrEqual(1200);
    }));

  it('to init for good: the host ends the run, some seconds after its limit, with the same verdict', () =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const running = engine.run(t('sleep-ms'), ['60000'], { limits: { wallTimeMs: 500 } });
      await until(900, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      process.kill(initOf('sleep-ms'), 'SIGSTOP');
      const { status, usage } = await running;
      expect([status, usage.wallTimeMs > 2500, usage.wallTimeMs < 6000]).toEqual(['wall-limit', true, true]);
      expect((await engine.run(t('true'))).ok).toBe(true);
    }));

  it('to the zygote: what stands ready serves on, closing does not wait for it', async () => {
    const engine = await Engine.open(engineOptions({ parallelism: 2, readyCount: 2 }));
    const [zygote] = helpers('sbx-zygote');
    process.kill(zygote!.pid, 'SIGSTOP');
    expect((await engine.run(t('true'))).ok).toBe(true);
    const { ms } = await timed(() => engine.close());
    expect(ms).toBeLessThan(1500);
    await until(1000, 'all helpers are gone', () => helpers('sbx-zygote').length === 0);
  });
});

describe('hard limits of the host below ours', () => {
  const script = fileURLToPath(new URL('../helpers/low-limits.mjs', import.meta.url));

  it.each(['-Hc 0', '-Hs 8192', '-Hl 16', '-Hi 100', '-Hf 2048', '-Hc 0; ulimit -Hs 8192'])(
    'ulimit %s: programs run, and have no more',
    async (hard) => {
      const args = ['-c', `ulimit ${hard}; exec "$0" "$@"`, process.execPath, script];
      const { stdout } = await promisify(execFile)('/bin/bash', [...args, import.meta.resolve('@sbx/core')]);
      const { status, text } = JSON.parse(stdout);
      expect(status).toBe('ok');
      if (hard.includes('-Hs')) expect(text).toMatch(/stack.* 8192$/m);
    },
  );
});

describe('descriptors of the host', () => {
  const script = fileURLToPath(new URL('../helpers/few-descriptors.mjs', import.meta.url));
  const options = JSON.stringify({ parallelism: 1 });

  /** In a process that may have so many open. */
  async function withOpenFiles(most: number) {
    const args = ['-c', `ulimit -n ${most}; exec "$0" "$@"`, process.execPath, script];
    const { stdout } = await promisify(execFile)('/bin/sh', [
      ...args,
      import.meta.resolve('@sbx/core'),
      options,
    ]);
    return JSON.parse(stdout);
  }

  it('none left: an error that says so, and runs work again when there is room', async () => {
    const { before, full, after, leaked } = await withOpenFiles(400);
    expect(before).toBe('ok');
    // The end of one may have made room for the next.
    for (const outcome of full)
      expect(['ok', 'file-error', 'SBX_OVERLOADED']).toContain(outcome.code ?? outcome);
    expect(full[0]).toMatchObject({ code: 'SBX_OVERLOADED', message: expect.stringContaining('EMFILE') });
    // The first may find what the failed ones left half made.
    expect(after.slice(1)).toEqual(Array(7).fill('ok'));
    expect(leaked).toBe(0);
  });

  it('room for fewer sandboxes than asked for: so many run at once, the others wait', async () => {
    const many = fileURLToPath(new URL('../helpers/many-runs.mjs', import.meta.url));
    const args = ['-c', 'ulimit -n 1024; exec "$0" "$@"', process.execPath, many];
    const { stdout } = await promisify(execFile)('/bin/sh', [
      ...args,
      import.meta.resolve('@sbx/core'),
      '120',
    ]);
    const { maxSandboxes, parallelism, outcomes } = JSON.parse(stdout);
    expect(maxSandboxes).toBeLessThan(40);
    expect(parallelism).toBe(maxSandboxes);
    expect(outcomes).toEqual({ ok: 120 });
  });

  it('too few by rule: refused at opening, with the way out', async () => {
    expect(await withOpenFiles(100)).toMatchObject({
      refused: 'SBX_UNSUPPORTED_PLATFORM',
      hint: expect.stringContaining('ulimit -Hn'),
    });
  });
});
