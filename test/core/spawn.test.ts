// Living programs with a sandbox of their own: what `run` gives, and streams besides.
import { Engine, Sandbox } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { engineOptions, MiB, t, useEngine, withEngine } from '../helpers/engine.js';
import { sleep, timedByOthers, until } from '../helpers/wait.js';

const sbx = useEngine();

describe('engine.spawn', () => {
  it('streams both ways while the program lives, then gives files and captured outputs', async () => {
    const script =
      'cat given; while read line; do echo "got $line"; echo "$line" >> kept; done; echo gone >&2';
    await using program = await sbx.engine.spawn('/bin/sh', ['-c', script], {
      files: { given: 'from a file\n' },
      copyOut: ['kept'],
      stdin: 'pipe',
      stdout: 'pipe',
    });
    const lines = program.stdout!.lines();
    const next = async () => (await lines.next()).value;
    expect(await next()).toBe('from a file');
    await program.stdin!.write('one\n');
    expect(await next()).toBe('got one');
    expect(program.usage().wallTimeMs).toBeGreaterThan(0);
    await program.stdin!.end('two\n');
    expect(await next()).toBe('got two');
    expect(await next()).toBeUndefined();
    const result = await program.result;
    expect([result.status, result.files.kept?.text(), result.stderr.text()]).toEqual([
      'ok',
      'one\ntwo\n',
      'gone\n',
    ]);
    expect(result.stdout.bytes).toHaveLength(0);
  });

  it('is over when its program is: output that was not read yet is still there', async () => {
    await using program = await sbx.engine.spawn(t('flood'), ['1', '50000'], { stdout: 'pipe' });
    await program.result;
    await until(1000, 'the sandbox is given up', () => sbx.engine.counters().sandboxes === 0);
    expect(await program.stdout!.text()).toHaveLength(50_000);
  });

  it('more output than a pipe and our own buffer hold waits for its reader', async () => {
    await using program = await sbx.engine.spawn(t('flood'), ['1', String(8 * MiB)], { stdout: 'pipe' });
    await sleep(100);
    let bytes = 0;
    for await (const chunk of program.stdout!) bytes += chunk.byteLength;
    expect([bytes, (await program.result).status]).toEqual([8 * MiB, 'ok']);
  });

  it('has callbacks and limits as run has', async () => {
    let seen = '';
    await using program = await sbx.engine.spawn(t('deaf'), [], {
      limits: { wallTimeMs: 100 },
      onStdout: (chunk) => (seen += Buffer.from(chunk).toString()),
    });
    expect((await program.result).status).toBe('wall-limit');
    expect(seen).toBe('ready\n');
  });

  it('a terminal', async () => {
    const script = 'read line; echo "got $line"; test -t 0 && test -t 1 && exit 5';
    await using program = await sbx.engine.spawn('/bin/sh', ['-c', script], { pty: {} });
    await program.stdin!.write('hello\n');
    expect(await program.stdout!.text()).toBe('hello\r\ngot hello\r\n');
    expect((await program.result).exitCode).toBe(5);
  });

  it('does not wait in the queue, and leaves it to others', async () => {
    await withEngine({ parallelism: 1, readyCount: 2 }, async (engine) => {
      await using _first = await engine.spawn(t('sleep-ms'), ['60000']);
      await using _second = await engine.spawn(t('sleep-ms'), ['60000']);
      expect([engine.counters().running, engine.counters().sandboxes]).toEqual([0, 2]);
      expect((await engine.run(t('true'))).status).toBe('ok');
    });
  });

  it('as many as maxSandboxes, one more is refused', async () => {
    await withEngine({ parallelism: 1, maxSandboxes: 2 }, async (engine) => {
      await using _first = await engine.spawn(t('sleep-ms'), ['60000']);
      await using _second = await engine.spawn(t('sleep-ms'), ['60000']);
      await expect(engine.spawn(t('true'))).rejects.toMatchObject({
        code: 'SBX_OVERLOADED',
        message: expect.stringMatching(
          /^2 sandboxes are in use.* raise maxSandboxes in the options of Engine.open/,
        ),
      });
    });
  });

  it('kill and close end it', async () => {
    const killed = await sbx.engine.spawn(t('deaf'), ['spin'], { stdout: 'pipe' });
    killed.kill();
    expect((await killed.result).status).toBe('killed');
    await killed.close();
    const closed = await sbx.engine.spawn(t('fork-bomb'), ['deaf'], {
      stdout: 'pipe',
      limits: { memoryBytes: null }, // the kernel keeps much of many forks
    });
    const { ms } = await timedByOthers(() => closed.close());
    expect((await closed.result).status).toBe('killed');
    expect(ms).toBeLessThan(100);
  });

  it('the engine’s close ends it, and closes streams that nobody read', async () => {
    const alive = await withEngine({}, async (engine) => {
      const over = await engine.spawn(t('flood'), ['1', '60000'], { stdout: 'pipe' });
      await over.result;
      const stuck = await engine.spawn(t('flood'), ['1', '0'], { stdin: 'pipe', stdout: 'pipe' });
      return { over, stuck };
    });
    expect((await alive.stuck.result).status).toBe('killed');
  });

  it('a program or file that is not there: rejects, and nothing stays', async () => {
    await expect(sbx.engine.spawn('/nowhere', [], { stdin: 'pipe' })).rejects.toMatchObject({
      code: 'SBX_PROGRAM_NOT_FOUND',
    });
    const files = { f: { hostFile: '/nowhere' } };
    await expect(sbx.engine.spawn(t('true'), [], { files })).rejects.toMatchObject({
      code: 'SBX_FILE_NOT_FOUND',
    });
    const wrong = sbx.engine.spawn(t('true'), [], { stdin: 'pip' as 'pipe' });
    await expect(wrong).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field: 'options.stdin' });
  });

  it('Sandbox.spawn is the same on any engine', async () => {
    await using engine = await Engine.open(engineOptions());
    await using program = await Sandbox.spawn(t('exit-with'), ['3'], { engine, stdout: 'pipe' });
    expect((await program.result).exitCode).toBe(3);
  });
});

describe('outputs handed over chunk by chunk', () => {
  const flood = (bytes: number) => sbx.engine.spawn(t('flood'), ['1', String(bytes)], { stdout: 'pipe' });

  it('come whole and in order; a promise holds up the next, and the program', async () => {
    await using program = await flood(8 * MiB);
    let bytes = 0;
    let taking = 0;
    const over = program.stdout!.each((chunk) => {
      expect(++taking).toBe(1);
      bytes += chunk.length;
      return sleep(1).then(() => {
        taking -= 1;
      });
    });
    await over;
    expect(bytes).toBe(8 * MiB);
    await expect(program.stdout!.each(() => null)).resolves.toBeUndefined();
  });

  it('what throws or rejects ends it, and the rest can be read', async () => {
    await using program = await flood(MiB);
    const stdout = program.stdout!;
    let first = 0;
    const failing = stdout.each((chunk) => {
      first += chunk.length;
      throw new Error('enough');
    });
    await expect(stdout.text()).rejects.toMatchObject({ code: 'SBX_STREAM_BUSY' });
    await expect(failing).rejects.toThrow('enough');
    const rejecting = stdout.each((chunk) => {
      first += chunk.length;
      return Promise.reject(new Error('no more'));
    });
    await expect(rejecting).rejects.toThrow('no more');
    expect(first + (await stdout.text()).length).toBe(MiB);
  });

  it('a stream that is closed while a chunk is taken is at its end, but for what it holds', async () => {
    await using program = await flood(MiB);
    let bytes = 0;
    await program.stdout!.each((chunk) => {
      bytes += chunk.length;
      program.stdout!.destroy();
      return null;
    });
    expect(bytes).toBeLessThan(MiB);
  });
});

describe('onAbort: resolve', () => {
  /** It says something, writes a file and stays. */
  const staying = ['/bin/sh', ['-c', 'echo kept > f; echo said; exec sleep 60']] as const;
  const asked = { copyOut: ['f'], onAbort: 'resolve' } as const;

  async function abortOnceSaid(
    start: (options: { signal: AbortSignal; onStdout: () => void }) => Promise<unknown>,
  ) {
    const controller = new AbortController();
    const onStdout = () => void sleep(50).then(() => controller.abort());
    return start({ signal: controller.signal, onStdout });
  }

  it('a run gives what there is', async () => {
    const run = abortOnceSaid((options) => sbx.engine.run(...staying, { ...asked, ...options }));
    const result = (await run) as Awaited<ReturnType<typeof sbx.engine.run>>;
    expect([result.status, result.exitSignal]).toEqual(['killed', 'SIGKILL']);
    expect([result.stdout.text(), result.files.f?.text()]).toEqual(['said\n', 'kept\n']);
    expect(result.usage.wallTimeMs).toBeGreaterThan(40);
  });

  it('without it the same run rejects with the reason', async () => {
    const run = abortOnceSaid((options) => sbx.engine.run(...staying, { copyOut: ['f'], ...options }));
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('in a session, run and spawn', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const ran = abortOnceSaid((options) => sandbox.run(...staying, { ...asked, ...options }));
    expect(await ran).toMatchObject({ status: 'killed' });
    const signal = AbortSignal.timeout(50);
    await using spawned = await sandbox.spawn(t('deaf'), [], { signal, onAbort: 'resolve' });
    expect(await spawned.result).toMatchObject({ status: 'killed' });
  });

  it('without it, descriptors that a result would have had are closed', async () => {
    const stdout = { file: 'out', collect: { maxBytes: 10, as: 'fd' } } as const;
    const run = sbx.engine.run(t('deaf'), [], { stdout, signal: AbortSignal.timeout(100) });
    await expect(run).rejects.toMatchObject({ name: 'TimeoutError' }); // the harness counts descriptors
  });

  it('what never started has nothing to resolve with', async () => {
    const reason = new Error('never');
    const signal = AbortSignal.abort(reason);
    await expect(sbx.engine.run(t('true'), [], { signal, onAbort: 'resolve' })).rejects.toBe(reason);
  });
});
