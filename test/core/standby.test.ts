// Programs started ahead of their requests: what waits, what a request gets, and that nobody can tell.
import { execFile, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Engine, Standby, StandbyRequest } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, useEngine, withEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { descendants, listProcesses } from '../helpers/proc.js';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

const shell = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
const ask = (code: string, more: Partial<StandbyRequest> = {}): StandbyRequest => ({
  ...shell,
  code,
  ...more,
});

async function withStandby(
  count: number,
  use: (standby: Standby) => Promise<void>,
  engine: Engine = sbx.engine,
): Promise<void> {
  await using standby = engine.standby();
  standby.keep('shell', { count, program: shell });
  await standby.ready();
  await use(standby);
}

/** Runs to the end, stdin empty. */
async function run(standby: Standby, request: StandbyRequest) {
  await using program = await standby.spawn('shell', request);
  void program.stdin!.end();
  const [stdout, stderr, result] = await Promise.all([
    program.stdout!.text(),
    program.stderr!.text(),
    program.result,
  ]);
  return { stdout, stderr, status: result.status, usage: result.usage };
}

const numbers = (standby: Standby) => {
  const { waiting, warm, cold, lost } = standby.counters().shell!;
  return { waiting, warm, cold, lost };
};

/** Limits nothing, but nobody waits with a CPU set. */
const allCpus = `0-${cpus().length - 1}`;

/** Processes of this engine that wait: shells below an init of ours. */
const shells = () => descendants().filter((row) => row.name === 'sh');

describe('hand-over', () => {
  it('what waits takes a request, and is replaced', async () => {
    await withStandby(1, async (standby) => {
      expect(numbers(standby)).toEqual({ waiting: 1, warm: 0, cold: 0, lost: 0 });
      expect(await run(standby, ask('echo hello; echo there >&2'))).toMatchObject({
        status: 'ok',
        stdout: 'hello\n',
        stderr: 'there\n',
      });
      await until(2000, 'another waits', () => numbers(standby).waiting === 1);
      expect(numbers(standby)).toEqual({ waiting: 1, warm: 1, cold: 0, lost: 0 });
    });
  });

  it('nobody can tell: descriptors, arguments, environment, files, folder, limits, threads, signals', async () => {
    const code = `exec /t/posture`;
    // Its descriptors without a pipeline, whose ends the shell may hold for a moment more.
    const more =
      'echo "$0 $#"; env; pwd; ls -la --time-style=+; ulimit -a; ls /proc/self/task | wc -l; cat /proc/$$/cmdline /proc/$$/environ; trap; umask; cat main.sh; stat -c "%s %a %U" main.sh; wc -c; grep -E "Sig|Cap|Seccomp|Threads|NoNewPrivs|Cpus_allowed" /proc/self/status; echo /proc/$$/fd/*';
    await withStandby(2, async (standby) => {
      for (const script of [code, more]) {
        const warm = await run(standby, ask(script));
        const cold = await run(standby, ask(script, { limits: { cpuSet: allCpus } }));
        expect(warm.stdout).toBe(cold.stdout);
        expect(warm.stderr).toBe(cold.stderr);
        expect(warm.stdout).not.toBe('');
        await standby.ready();
      }
      expect(numbers(standby)).toMatchObject({ warm: 2, cold: 2 });
    });
  });

  it('stdin is a pipe, both ways alive', async () => {
    await withStandby(1, async (standby) => {
      await using program = await standby.spawn('shell', ask('while read line; do echo "got $line"; done'));
      const lines = program.stdout!.lines();
      await program.stdin!.write('one\n');
      expect((await lines.next()).value).toBe('got one');
      expect(program.usage().wallTimeMs).toBeGreaterThan(0);
      await program.stdin!.end();
      expect((await program.result).status).toBe('ok');
    });
  });

  it('code is what it is: empty, bytes, a megabyte', async () => {
    await withStandby(3, async (standby) => {
      expect(await run(standby, ask(''))).toMatchObject({ status: 'ok', stdout: '' });
      const bytes = new TextEncoder().encode('echo bytes');
      expect(await run(standby, ask('', { code: bytes }))).toMatchObject({ stdout: 'bytes\n' });
      const large = `# ${'x'.repeat(MiB)}\necho end`;
      expect(await run(standby, ask(large))).toMatchObject({ stdout: 'end\n' });
      expect(numbers(standby).warm).toBe(3);
    });
  });

  it('code that does not fit the disk is refused as in an ordinary start', async () => {
    await using standby = sbx.engine.standby();
    const limits = { diskBytes: 64 * 1024 };
    standby.keep('shell', { count: 1, program: { ...shell, limits } });
    await standby.ready();
    const request = ask('x'.repeat(MiB), { limits });
    for (let times = 0; times < 2; times += 1)
      await expect(standby.spawn('shell', request)).rejects.toMatchObject({ errnoName: 'ENOSPC' });
  });

  it('abort and kill end it as any other', async () => {
    await withStandby(2, async (standby) => {
      const abort = new AbortController();
      const program = await standby.spawn('shell', ask('sleep 60', { signal: abort.signal }));
      abort.abort(new Error('enough'));
      await expect(program.result).rejects.toThrow('enough');
      const second = await standby.spawn('shell', ask('sleep 60'));
      second.kill();
      expect((await second.result).status).toBe('killed');
      expect(numbers(standby).warm).toBe(2);
    });
  });
});

describe('limits and meters', () => {
  it('begin at the hand-over, however long it waited', async () => {
    await withStandby(1, async (standby) => {
      await sleep(1200);
      const result = await run(standby, ask('sleep 0.3', { limits: { wallTimeMs: 1000, cpuTimeMs: 100 } }));
      expect(result.status).toBe('ok');
      expect(result.usage.wallTimeMs).toBeGreaterThan(290);
      expect(result.usage.wallTimeMs).toBeLessThan(1000);
      expect(numbers(standby).warm).toBe(1);
    });
  });

  it('begin there too when init hears of it only after the end', async () => {
    await withStandby(1, async (standby) => {
      await sleep(400);
      const [waiting] = shells();
      process.kill(waiting!.parent, 'SIGSTOP');
      const start = performance.now();
      const running = run(standby, ask('exit 0', { limits: { wallTimeMs: 300 } }));
      await until(2000, 'it has ended', () =>
        shells().some(({ pid, state }) => pid === waiting!.pid && state === 'Z'),
      );
      process.kill(waiting!.parent, 'SIGCONT');
      const { status, usage } = await running;
      expect(status).toBe('ok');
      expect(usage.wallTimeMs).toBeLessThan(performance.now() - start);
      expect(numbers(standby).warm).toBe(1);
    });
  });

  const spin = 'while :; do :; done';
  it.each([
    ['wall time', 'sleep 60', { wallTimeMs: 150 }, 'wall-limit'],
    ['CPU time', spin, { cpuTimeMs: 150 }, 'cpu-limit'],
    ['memory', `exec /t/hold-memory private ${64 * MiB}`, { memoryBytes: 32 * MiB }, 'memory-limit'],
    ['memory, enough', `/t/hold-memory private ${16 * MiB}`, { memoryBytes: 64 * MiB }, 'ok'],
  ] as const)('%s', async (_name, code, limits, status) => {
    await withStandby(1, async (standby) => {
      const result = await run(standby, ask(code, { limits }));
      expect(result.status).toBe(status);
      if ('cpuTimeMs' in limits) expect(result.usage.cpuTimeMs).toBeLessThan(150 + paced(20));
      expect(numbers(standby)).toMatchObject({ warm: 1, cold: 0 });
    });
  });

  it('processes', async () => {
    const code = 'for i in 1 2 3 4 5 6; do sleep 1 & done; wait';
    // The number is an rlimit too, which can be seen: another one's sandboxes are not interchangeable with
    // these.
    await using standby = sbx.engine.standby();
    const limits = { processCount: 4 };
    standby.keep('shell', { count: 1, program: { ...shell, limits } });
    await standby.ready();
    for (const warm of [1, 0]) {
      const result = await run(standby, ask(code, { limits: warm === 1 ? limits : { processCount: 3 } }));
      expect(result.stderr).toContain('fork');
      expect(result.usage.processPeakCount).toBeLessThanOrEqual(warm === 1 ? 4 : 3);
    }
    expect(numbers(standby)).toMatchObject({ warm: 1, cold: 1 });
  });

  it('fewer than the start took make an ordinary start', async () => {
    await withStandby(1, async (standby) => {
      // Far more than the bound may be above the limit (decision 18).
      const code = 'x=$(head -c 8388608 /dev/zero | tr "\\0" x)';
      const result = await run(standby, ask(code, { limits: { memoryBytes: 64 * 1024 } }));
      expect(result.status).toBe('memory-limit');
      expect(numbers(standby)).toMatchObject({ warm: 0, cold: 1 });
    });
  });

  it('files, open files and stack were set at its start: others make an ordinary start', async () => {
    await withStandby(1, async (standby) => {
      const result = await run(standby, ask('ulimit -n', { limits: { openFileCount: 77 } }));
      expect([result.stdout, numbers(standby).cold]).toEqual(['77\n', 1]);
    });
  });
});

describe('what waits', () => {
  it('is never used twice, and no one sees another', async () => {
    await withStandby(2, async (standby) => {
      const code = (i: number) => `ls; echo $$; sleep 0.05; echo mine > made-${i}; ls`;
      const results = await Promise.all([...Array(8).keys()].map((i) => run(standby, ask(code(i)))));
      for (const [i, { stdout }] of results.entries()) {
        expect(stdout).toMatch(new RegExp(`^main\\.sh\n\\d+\nmade-${i}\nmain\\.sh\n$`));
      }
      const { warm, cold } = numbers(standby);
      expect([warm >= 2, warm + cold]).toEqual([true, 8]);
    });
  });

  it('an empty pool: ordinary starts, the same outcome', async () => {
    await withStandby(0, async (standby) => {
      expect(await run(standby, ask('echo cold'))).toMatchObject({ status: 'ok', stdout: 'cold\n' });
      expect(numbers(standby)).toEqual({ waiting: 0, warm: 0, cold: 1, lost: 0 });
      const unnamed = await standby.spawn('never named', ask('exit 3'));
      expect((await unnamed.result).exitCode).toBe(3);
    });
  });

  it('that dies while it waits is counted and replaced', async () => {
    await withStandby(1, async (standby) => {
      process.kill(shells()[0]!.pid, 'SIGKILL');
      await until(1000, 'it is missed', () => numbers(standby).lost === 1);
      expect(await run(standby, ask('echo cold'))).toMatchObject({ stdout: 'cold\n' });
      await until(5000, 'another waits', () => numbers(standby).waiting === 1);
      expect(await run(standby, ask('echo warm'))).toMatchObject({ stdout: 'warm\n' });
      expect(numbers(standby)).toMatchObject({ warm: 1, cold: 1, lost: 1 });
    });
  });

  it('becomes what is asked for', async () => {
    await withStandby(2, async (standby) => {
      const other = { env: { PATH: '/usr/bin:/bin', MINE: 'yes' } };
      for (let times = 0; times < 4; times += 1) {
        expect(await run(standby, ask('echo $MINE', other))).toMatchObject({ stdout: 'yes\n' });
        await sleep(60);
        await standby.ready();
      }
      const { warm } = numbers(standby);
      expect(warm).toBeGreaterThan(0);
    });
  });

  it('that never comes to its entry file is given up, and not tried again at once', async () => {
    await using standby = sbx.engine.standby({ startMs: 200 });
    standby.keep('shell', { count: 1, program: { ...shell, args: ['-c', 'sleep 60'] } });
    await until(2000, 'it is given up', () => numbers(standby).lost === 1);
    await sleep(100);
    expect(standby.counters().shell).toMatchObject({ waiting: 0, starting: 0, started: 1 });
    expect(standby.counters().shell!.reason).toContain('200 ms');
  });

  it.each([
    ['ends at once', { args: ['-c', 'exit 0'] }, 'ended unexpectedly'],
    ['is not there', { file: '/no/such' }, 'There is no program'],
  ])('that %s is given up, and requests get what they would have got', async (_name, wrong, reason) => {
    await using standby = sbx.engine.standby();
    standby.keep('shell', { count: 1, program: { ...shell, ...wrong } });
    await until(2000, 'it is given up', () => numbers(standby).lost === 1);
    expect(standby.counters().shell!.reason).toContain(reason);
    expect(await run(standby, ask('echo still'))).toMatchObject({ stdout: 'still\n' });
  });

  it('holds no more memory than allowed', async () => {
    await using standby = sbx.engine.standby({ memoryBytes: 100 * MiB });
    standby.keep('shell', { count: 3, program: shell });
    await standby.ready();
    // The first is taken for 64 MiB until it has been measured.
    await until(2000, 'three wait', () => numbers(standby).waiting === 3);
    await using narrow = sbx.engine.standby({ memoryBytes: MiB });
    narrow.keep('shell', { count: 1, program: shell });
    await narrow.ready();
    expect(narrow.counters().shell).toMatchObject({ waiting: 0, started: 0 });
    expect(narrow.counters().shell!.reason).toContain('1048576 bytes');
  });

  it('leaves the sandboxes that stand ready to others', async () => {
    await withEngine({ parallelism: 1, readyCount: 1 }, (engine) =>
      withStandby(
        4,
        async (standby) => {
          for (let times = 0; times < 3; times += 1) {
            await until(1000, 'one stands ready', () => engine.counters().ready > 0);
            expect((await engine.run('/bin/true')).status).toBe('ok');
          }
          expect(numbers(standby).waiting).toBe(4);
        },
        engine,
      ),
    );
  });

  it('makes room for who asks when maxSandboxes is reached', async () => {
    await withEngine({ maxSandboxes: 2 }, (engine) =>
      withStandby(
        2,
        async (standby) => {
          expect(await run(standby, ask('ulimit -n', { limits: { openFileCount: 99 } }))).toMatchObject({
            stdout: '99\n',
          });
        },
        engine,
      ),
    );
  });

  it('has a prelude for its start alone', async () => {
    await using standby = sbx.engine.standby();
    const prelude = { begin: 'echo prelude >&2\n' };
    const program = { ...shell, args: ['-c', '. ./begin; . ./main.sh'] };
    standby.keep('shell', { count: 1, program, prelude });
    await standby.ready();
    const { stdout, stderr } = await run(standby, ask('ls', { args: program.args }));
    expect([stdout, stderr]).toEqual(['main.sh\n', 'prelude\n']);
    expect(numbers(standby).warm).toBe(1);
  });
});

describe('the end', () => {
  it('close ends what waits; what was handed over goes on', async () => {
    const standby = sbx.engine.standby();
    standby.keep('shell', { count: 2, program: shell });
    await standby.ready();
    const program = await standby.spawn('shell', ask('sleep 0.2; echo done'));
    await standby.close();
    await standby.close();
    expect(await program.stdout!.text()).toBe('done\n');
    await until(1000, 'nobody waits', () => shells().length === 0);
    await expect(standby.spawn('shell', ask(''))).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    expect(() => standby.keep('shell', { count: 1, program: shell })).toThrow('closed');
  });

  it('the engine’s close takes all with it, at any moment', async () => {
    for (const delayMs of [0, 3, 10, 30]) {
      await withEngine({}, async (engine) => {
        const standby = engine.standby();
        standby.keep('shell', { count: 3, program: shell });
        await sleep(delayMs);
      });
    }
  });

  it('a process with nothing else to do ends', async () => {
    const script = `
      import { Engine } from '@sbx/core';
      const standby = (await Engine.open()).standby();
      standby.keep('shell', { count: 2, program: ${JSON.stringify(shell)} });
      await standby.ready();
      process.stdout.write(String(standby.counters().shell.waiting));`;
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const { value } = await timed(() =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        cwd: root,
        timeout: 20_000,
      }),
    );
    expect(value.stdout).toBe('2');
  });

  it('a host that is killed leaves nobody waiting', async () => {
    const script = `
      import { Engine } from '@sbx/core';
      const standby = (await Engine.open()).standby();
      standby.keep('shell', { count: 2, program: ${JSON.stringify(shell)} });
      await standby.ready();
      process.stdout.write('ready');
      setInterval(() => {}, 1000);`;
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    await new Promise((resolve) => host.stdout.once('data', resolve));
    const below = descendants(host.pid!).map(({ pid }) => pid);
    expect(below.length).toBeGreaterThan(4);
    host.kill('SIGKILL');
    // Reaping is pid 1's.
    const alive = () => listProcesses().filter(({ pid, state }) => below.includes(pid) && state !== 'Z');
    await until(2000, 'all are gone', () => alive().length === 0);
  });
});

describe('prepared programs', () => {
  it('take what waits, and serve many requests; what they were made of may change', async () => {
    await using standby = sbx.engine.standby();
    const program = { ...shell, args: ['main.sh'], env: { ROLE: 'first' } };
    standby.keep('shell', { count: 1, program });
    const prepared = standby.prepare('shell', program);
    program.env.ROLE = 'second';
    program.args[0] = 'nowhere.sh';
    for (const word of ['one', 'two']) {
      await until(2000, 'one waits', () => numbers(standby).waiting === 1);
      await using running = await prepared.spawn({ code: `echo $ROLE ${word}` });
      expect(await running.stdout!.text()).toBe(`first ${word}\n`);
    }
    expect(numbers(standby)).toMatchObject({ warm: 2, cold: 0 });
  });

  it('say what is wrong at once, of the program or of its input', async () => {
    await withEngine({ ceilings: { memoryBytes: 64 * MiB } }, async (engine) => {
      await using standby = engine.standby();
      const memory = (memoryBytes: number) => ({ ...shell, limits: { memoryBytes } });
      expect(() => standby.prepare('shell', memory(128 * MiB))).toThrow('limits.memoryBytes');
      expect(() => standby.prepare('shell', { ...shell, entry: 'a/b' })).toThrow('program.entry');
      const prepared = standby.prepare('shell', memory(32 * MiB));
      const given = (input: object) => expect(prepared.spawn(input as never)).rejects;
      await given({ code: 7 }).toThrow('options.code');
      await given({}).toThrow('code');
      await given({ code: '', stdin: 'pipe' }).toThrow('options.stdin');
      await given({ code: '', killGraceMs: -1 }).toThrow('options.killGraceMs');
      await given({ code: '', signal: AbortSignal.abort(new Error('not now')) }).toThrow('not now');
    });
  });
});

describe('options', () => {
  it.each([
    [{ count: -1, program: shell }, 'family.count'],
    [{ count: 1.5, program: shell }, 'family.count'],
    [{ count: 1, program: { ...shell, entry: 'a/b' } }, 'family.program.entry'],
    [{ count: 1, program: shell, prelude: { 'main.sh': '' } }, 'family.program.entry'],
    [{ count: 1, program: { ...shell, entry: '..' } }, 'family.program.entry'],
    [{ count: 1, program: shell, prelude: { '../up': '' } }, 'family.prelude'],
    [{ count: 1, program: { ...shell, stdin: 'pipe' } }, 'options.stdin'],
    [{ count: 1, program: { ...shell, file: '' } }, 'file'],
    [{ count: 1, program: { ...shell, nonsense: 1 } }, 'options.nonsense'],
    [undefined, 'family must be a plain object'],
    [{ count: 1 }, 'family.program is missing'],
    [{ count: 1, program: null }, 'family.program must be a plain object'],
    [{ count: 1, program: shell, preludes: {} }, 'Did you mean prelude?'],
  ])('%j', (family, field) => {
    const standby = sbx.engine.standby();
    expect(() => standby.keep('shell', family as never)).toThrow(field);
    void standby.close();
  });

  it('a name, a program and a request that are none', async () => {
    await using standby = sbx.engine.standby();
    expect(() => standby.keep(5 as never, { count: 0, program: shell })).toThrow(/^name must be/);
    expect(() => standby.prepare('', shell)).toThrow(/^name must not be empty/);
    expect(() => standby.prepare('shell', undefined as never)).toThrow(/^program must be a plain object/);
    await expect(standby.spawn('shell', undefined as never)).rejects.toThrow(/^request must be a plain/);
  });

  it('unknown ones of the standby', () => {
    expect(() => sbx.engine.standby({ memory: 1 } as never)).toThrow('memory');
  });
});
