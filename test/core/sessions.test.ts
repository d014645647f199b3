// Several programs in one sandbox, one after another and at once.
import type { RunResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { expectMedianBetween } from '../helpers/bounds.js';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { processesOfUids } from '../helpers/proc.js';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

const programsAlive = (name: string) =>
  processesOfUids(sbx.engine.info().user.uidBase).filter((row) => row.name === name).length;

describe('one after another', () => {
  it('share the work folder and /tmp', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'echo one > a; echo two > /tmp/b']);
    const result = await sandbox.run('/bin/cat', ['a', '/tmp/b']);
    expect(result.stdout.text()).toBe('one\ntwo\n');
  });

  it('a line of shell in place of a program is refused, as in the one-shot form', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const refusal = { code: 'SBX_INVALID_OPTIONS', field: 'file', message: /There is no shell/ };
    await expect(sandbox.run('ls -l')).rejects.toMatchObject(refusal);
    await expect(sandbox.spawn('ls -l')).rejects.toMatchObject(refusal);
    await expect(sandbox.sh('ls -l' as never)).rejects.toMatchObject({ field: 'sh' });
    await expect(sandbox.run('ls -l', [])).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
  });

  it('have usage and verdict of their own', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const burnt = paced(100);
    // An emulated CPU that waits for a real one has its wait charged to whoever ran: the median decides.
    await expectMedianBetween(0, 0.2, async () => {
      const first = await sandbox.run(t('burn-cpu'), [`${burnt}`]);
      const second = await sandbox.run(t('exit-with'), ['3']);
      expect([first.status, second.status]).toEqual(['ok', 'exit']);
      expect(first.usage.cpuTimeMs).toBeGreaterThan(burnt - 1);
      expect(sandbox.usage().cpuTimeMs).toBeGreaterThanOrEqual(first.usage.cpuTimeMs);
      return second.usage.cpuTimeMs / first.usage.cpuTimeMs;
    });
  });

  it('a memory peak is that of its program', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const large = await sandbox.run(t('hold-memory'), ['private', String(32 * MiB)]);
    const small = await sandbox.run(t('true'));
    expect(large.usage.memoryPeakBytes).toBeGreaterThanOrEqual(32 * MiB * 0.99);
    expect(small.usage.memoryPeakBytes).toBeLessThan(4 * MiB);
  });

  it('do not read their input from a folder or FIFO that an earlier one made', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'mkdir folder; mkfifo fifo']);
    const read = (file: string) => sandbox.run(t('sum-fd'), ['0'], { stdin: { file } });
    await expect(read('folder')).rejects.toMatchObject({ code: 'SBX_FILE_IS_FOLDER', path: 'folder' });
    await expect(read('fifo')).rejects.toMatchObject({ code: 'SBX_FILE_NOT_REGULAR', path: 'fifo' });
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });

  it('go on after each kind of bad end', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const ends = [
      [await sandbox.run(t('sleep-ms'), ['9999'], { limits: { wallTimeMs: 50 } }), 'wall-limit'],
      [await sandbox.run(t('burn-cpu'), ['9999'], { limits: { cpuTimeMs: 50 } }), 'cpu-limit'],
      [await sandbox.run(t('hold-memory'), ['private', String(999 * MiB)], {}), 'memory-limit'],
      [await sandbox.run(t('flood'), ['1', '0'], { limits: { outputBytes: 50 } }), 'output-limit'],
      [await sandbox.run(t('die-by'), ['segv']), 'signal'],
      [await sandbox.run(t('true')), 'ok'],
    ] as const;
    for (const [result, status] of ends) expect(result.status).toBe(status);
  });

  it('what a program leaves behind ends with it', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const result = await sandbox.run(t('ticker'), ['ticks', '5', 'away']);
    expect(result.status).toBe('ok');
    const size = async () => (await sandbox.readFile('ticks').catch(() => new Uint8Array(0))).length;
    const before = await size();
    await sleep(100);
    expect(await size()).toBe(before);
    expect(programsAlive('ticker')).toBe(0);
  });
});

describe('at once', () => {
  it('run side by side and see each other’s files', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const { value: results, ms } = await timed(() =>
      Promise.all(Array.from({ length: 5 }, () => sandbox.run(t('sleep-ms'), ['300']))),
    );
    expect(results.map((result) => result.status)).toEqual(Array(5).fill('ok'));
    expect(ms).toBeLessThan(900); // one after another would take 1500
  });

  it('one killed does not touch the others', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using first = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const second = sandbox.run(t('sleep-ms'), ['200']);
    first.kill();
    expect((await first.result).status).toBe('killed');
    expect((await second).status).toBe('ok');
  });

  it('memory bounds the sandbox as a whole', async () => {
    await using sandbox = await sbx.engine.createSandbox({ limits: { memoryBytes: 64 * MiB } });
    const hold = () => sandbox.run(t('hold-memory'), ['private', String(48 * MiB), '300']);
    const alone = await hold();
    expect(alone.status).toBe('ok');
    const both = await Promise.all([hold(), hold()]);
    expect(both.map((result) => result.status)).toContain('memory-limit');
  });

  it('processes bound the sandbox as a whole', async () => {
    await using sandbox = await sbx.engine.createSandbox({ limits: { processCount: 8 } });
    await using _sleeper = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const result = await sandbox.run(t('fork-count'), ['8']);
    expect(result.stdout.text()).toBe('6 EAGAIN\n');
  });

  it('what a program leaves behind goes with it, and nobody else, though others live beside', async () => {
    const { uidBase } = sbx.engine.info().user;
    // Dead ones that init has yet to reap do not count.
    const orphans = () =>
      processesOfUids(uidBase).filter(({ name, state }) => name === 'leave-orphan' && state !== 'Z');
    await using sandbox = await sbx.engine.createSandbox();
    const first = await sandbox.spawn(t('sleep-ms'), ['50']);
    await using beside = await sandbox.spawn(t('sleep-ms'), ['60000']);
    await first.result;
    for (let i = 0; i < 3; i++) {
      await sandbox.run(t('leave-orphan'), ['sleep', '60000']);
      expect(orphans()).toEqual([]);
    }
    expect(beside.usage().memoryBytes).toBeGreaterThan(0);
  });

  it('talk through a FIFO of the work folder', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'mkfifo f']);
    const reader = sandbox.run('/bin/cat', ['f']);
    await sandbox.run('/bin/sh', ['-c', 'echo hello > f']);
    expect((await reader).stdout.text()).toBe('hello\n');
  });
});

describe('settings', () => {
  it('limits and environment of the sandbox are defaults of its programs', async () => {
    const env = { PATH: '/usr/bin:/bin', GREETING: 'hi' };
    await using sandbox = await sbx.engine.createSandbox({ limits: { wallTimeMs: paced(100) }, env });
    expect((await sandbox.run('/bin/sh', ['-c', 'echo $GREETING'])).stdout.text()).toBe('hi\n');
    expect((await sandbox.run(t('sleep-ms'), ['9999'])).status).toBe('wall-limit');
    const longer = await sandbox.run(t('sleep-ms'), [`${paced(150)}`], { limits: { wallTimeMs: 5000 } });
    expect(longer.status).toBe('ok');
  });

  it('nothing of the host’s environment comes in', async () => {
    process.env.SBX_TEST_SECRET = 'secret';
    const { stdout } = await sbx.engine.run(t('show-args'), ['a', 'b c', '']);
    delete process.env.SBX_TEST_SECRET;
    expect(stdout.text()).not.toContain('secret');
    expect(stdout.text()).toContain('arg [a]\narg [b c]\narg []\n');
    expect(stdout.text()).toMatch(/^env \[PATH=/m);
    expect(stdout.text()).toMatch(/^cwd \[\/w\]$/m);
  });

  it('an environment given is the whole environment', async () => {
    const { stdout } = await sbx.engine.run(t('show-args'), [], { env: { A: '1' } });
    expect(stdout.text().match(/^env .*/gm)).toEqual(['env [A=1]']);
  });

  it('a working folder, absolute or below the work folder', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'sub/x': 'y' } });
    const where = async (cwd: string) => (await sandbox.run('/bin/pwd', [], { cwd })).stdout.text();
    expect([await where('sub'), await where('/tmp')]).toEqual(['/w/sub\n', '/tmp\n']);
  });

  it('sh quotes what is put in', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const result = await sandbox.sh`printf '[%s]' ${'a b; echo c'} ${"it's"}`;
    expect(result.stdout.text()).toBe("[a b; echo c][it's]");
  });

  it('sh takes the options of a run before its line', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'sub/x': 'y' } });
    const inSub = sandbox.sh({
      cwd: 'sub',
      env: { NAME: 'value', PATH: '/bin' },
      limits: { outputBytes: 20 },
    });
    expect((await inSub`cat ${'x'}; echo " $NAME"`).stdout.text()).toBe('y value\n');
    expect((await inSub`pwd`).stdout.text()).toBe('/w/sub\n');
    expect((await inSub`yes`).status).toBe('output-limit');
    await expect(sandbox.sh({ cdw: 'sub' } as object)`pwd`).rejects.toMatchObject({ field: 'options.cdw' });
    await expect(sandbox.sh({})('pwd' as never)).rejects.toMatchObject({ field: 'sh' });
    await expect(sandbox.sh(null as never)).rejects.toMatchObject({ field: 'sh' });
  });
});

describe('end', () => {
  it('close kills what runs, may be called twice at once, and closes for good', async () => {
    const sandbox = await sbx.engine.createSandbox();
    const running = sandbox.run(t('sleep-ms'), ['60000']);
    await until(2000, 'it runs', () => programsAlive('sleep-ms') === 1);
    const { ms, stolenMs } = await timed(() => Promise.all([sandbox.close(), sandbox.close()]));
    expect(ms - stolenMs).toBeLessThan(paced(100));
    expect((await running).status).toBe('killed');
    expect(programsAlive('sleep-ms')).toBe(0);
    await expect(sandbox.run(t('true'))).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    await expect(sandbox.readFile('x')).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    await sandbox.close();
  });

  it('two sandboxes see nothing of each other', async () => {
    await using first = await sbx.engine.createSandbox();
    await using second = await sbx.engine.createSandbox();
    const leave = 'echo x > f; echo x > /tmp/f; echo x > /dev/shm/f';
    await first.run('/bin/sh', ['-c', leave]);
    await using _busy = await first.spawn(t('sleep-ms'), ['60000']);
    const seen = await second.run('/bin/sh', ['-c', 'ls -A /w /tmp /dev/shm']);
    expect(seen.stdout.text()).toBe('/dev/shm:\n\n/tmp:\n\n/w:\n');
    const pids = await second.run(t('list-pids'));
    expect(pids.stdout.text().split('\n')[0]!.split(' ').length).toBeLessThanOrEqual(2); // init and itself
    expect((await first.run('/bin/sh', ['-c', 'cat f'])).stdout.text()).toBe('x\n');
  });

  it('a program that stops all others cannot stop the sandbox: the next ones start, limits hold', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const limits = { wallTimeMs: 1500, cpuTimeMs: 60_000 };
    const attacker = await sandbox.spawn(t('stop-others'), [], { limits });
    const started = performance.now();
    // Each is stopped on its way or soon after: what counts is that every one of them is answered.
    while (performance.now() - started < 1000) {
      const { status } = await sandbox.run(t('true'), [], { limits: { wallTimeMs: 200, cpuTimeMs: 200 } });
      expect(['ok', 'wall-limit']).toContain(status);
    }
    expect((await attacker.result).status).toBe('wall-limit');
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });

  it('peaks that include others say so; those with a group of their own are exact', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const features = (result: RunResult) => result.degraded.map(({ feature }) => feature);
    // Old kernels keep no peaks; each result says so.
    const peaks = ['memory-peak', 'process-peak'] as const;
    const missing = peaks.filter((name) => !sbx.engine.info().features[name].available);
    const hasPeak = !missing.includes('process-peak');
    const first = sandbox.run(t('sleep-ms'), ['200']);
    await sleep(50);
    const second = await sandbox.run(t('true'));
    expect(features(await first)).toEqual(peaks);
    expect([features(second), second.usage.processPeakCount]).toEqual([missing, hasPeak ? 1 : null]);
    const third = features(await sandbox.run(t('true')));
    expect(third.includes('memory-peak')).toBe(missing.includes('memory-peak'));
  });

  it('programs that start while others end are not taken along', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const loop = async () => {
      for (let i = 0; i < 250; i++) expect((await sandbox.run(t('true'))).status).toBe('ok');
    };
    await Promise.all([loop(), loop(), loop(), loop()]);
  });

  it('beside one that holds all the processes there may be, another is refused until it is gone', async () => {
    await using sandbox = await sbx.engine.createSandbox({ limits: { processCount: 8 } });
    const bomb = await sandbox.spawn(t('fork-bomb'), ['plain'], { limits: { cpuTimeMs: null } });
    await until(2000, 'it is full', () => programsAlive('fork-bomb') === 8);
    await expect(sandbox.run(t('true'))).rejects.toMatchObject({ code: 'SBX_OVERLOADED', retryable: true });
    bomb.kill();
    await bomb.result;
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });

  it('when memory runs out the program goes, not the sandbox', async () => {
    await using sandbox = await sbx.engine.createSandbox({
      limits: { memoryBytes: 16 * MiB, fileBytes: null },
    });
    expect((await sandbox.run(t('fill-tmp'))).status).toBe('memory-limit');
    // Its file still holds the memory; it is not a program's to free from outside, but the sandbox must
    // answer.
    await sandbox.run(t('true')).catch((error) => expect(error).toMatchObject({ code: 'SBX_SANDBOX_SETUP' }));
    await sandbox.writeFile('note', 'still here');
    expect(await sandbox.readTextFile('note')).toBe('still here');
  });
});
