// Interpreters that have waited: code in them cannot tell, and gets what an ordinary start would give.

import { Engine } from '@sbx/core';
import {
  createRegistry,
  createRuntimes,
  languages,
  type Runtimes,
  type SpawnCodeOptions,
} from '@sbx/languages';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MiB } from '../helpers/engine.js';
import { expectNothingLeft, type Footprint, settledFootprint } from '../helpers/leaks.js';
import { isSkipped } from './installed.js';

const NAMES = ['python', 'javascript', 'elixir', 'bash', 'shell'].filter((name) => !isSkipped(name));

let before: Footprint;
let engine: Engine;
let warm: Runtimes;
let cold: Runtimes;

beforeAll(async () => {
  before = await settledFootprint();
  engine = await Engine.open();
  const standby = Object.fromEntries(NAMES.map((name) => [name, 1]));
  warm = createRuntimes({ engine, registry: withoutAges(), standby });
  cold = createRuntimes({ engine });
  await warm.ready();
}, 60_000);
afterEach(() => warm.ready());
afterAll(async () => {
  const info = engine.info();
  await engine.close();
  await expectNothingLeft(before, info);
});

/** Whatever words they use, programs of these tests are to get an interpreter that waited. */
function withoutAges() {
  const definitions = NAMES.map((name) => {
    const { asksAge: _, ...definition } = languages.find(name);
    return definition;
  });
  return createRegistry({ languages: definitions, extend: null });
}

async function run(runtimes: Runtimes, options: SpawnCodeOptions) {
  await using program = await runtimes.spawn(options);
  const [stdout, stderr, result] = await Promise.all([
    program.stdout!.text(),
    program.stderr!.text(),
    program.result,
  ]);
  return { stdout, stderr, status: result.status, exitCode: result.exitCode, exitSignal: result.exitSignal };
}

/** What both answer; the warm one must have been warm. */
async function both(options: SpawnCodeOptions) {
  const name = options.language;
  const taken = warm.counters()[name]!.warm;
  const fromWarm = await run(warm, options);
  expect(warm.counters()[name]!.warm, 'served by one that waited').toBe(taken + 1);
  const fromCold = await run(cold, options);
  return { fromWarm, fromCold };
}

async function same(options: SpawnCodeOptions) {
  const { fromWarm, fromCold } = await both(options);
  expect(fromWarm).toEqual(fromCold);
  return fromWarm;
}

const PYTHON = {
  'the module':
    'print(__name__, __file__, __doc__, sorted(globals()), __builtins__)\nimport sys; print(sys.modules["__main__"].__spec__)',
  'the interpreter': `import sys, os, threading, gc
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.executable, sys.prefix, list(sys.modules), sys.warnoptions, sys._xoptions)
print(os.environ, os.getcwd(), sorted(os.listdir('.')), os.getpid(), os.getppid(), threading.active_count(), sys.getrecursionlimit())
print(open('/proc/self/environ').read(), open('/proc/self/cmdline').read(), os.listdir('/proc/self/task').__len__())`,
  descriptors: `import os, stat, sys
for fd in sorted(map(int, os.listdir('/proc/self/fd'))):
    try: print(fd, stat.S_IFMT(os.fstat(fd).st_mode), os.get_inheritable(fd), os.get_blocking(fd), os.readlink(f'/proc/self/fd/{fd}').split(':')[0])
    except OSError: pass
print(sys.stdin, sys.stdout, sys.stderr, sys.stdin.isatty())`,
  signals:
    'import signal\nprint([(s.name, signal.getsignal(s)) for s in signal.valid_signals() if isinstance(s, signal.Signals)], signal.pthread_sigmask(0, []))\nimport re; print([l for l in open("/proc/self/status") if re.match("Sig|Shd|Cap|Seccomp|NoNew|Umask|Threads|Uid|Groups", l)])',
  limits:
    'import resource\nprint({n: resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith("RLIMIT")}, resource.getpagesize())',
  'a traceback': 'def f():\n    return 1 / 0\n\nf()\n',
  'a syntax error': 'def f(:\n',
  'a missing module': 'import nothing_here',
  'an exit code': 'import sys; sys.exit(7)',
  'an exit by a signal': 'import os; os.kill(os.getpid(), 9)',
  'its own source':
    'import os\nprint(open(__file__).read(), oct(os.stat(__file__).st_mode), os.stat(__file__).st_size, os.access(__file__, os.W_OK))',
  'a source in another encoding': '# -*- coding: latin-1 -*-\nprint(len("é"))\n',
  'children, and a copy of itself':
    'import subprocess, sys, os\nif len(sys.argv) == 1: print(subprocess.run([sys.executable, __file__, "again"], capture_output=True))\nelse: print(sys.argv, dict(os.environ))',
  input: 'import sys; print(repr(sys.stdin.read()))',
};

describe.skipIf(isSkipped('python'))('Python', () => {
  test.each(Object.entries(PYTHON))('%s', async (_name, code) => {
    await same({ language: 'python', code, stdin: { text: 'one\ntwo ż\n' } });
  });

  test('nothing to read, and a lot of it', async () => {
    const code = 'import sys; print(len(sys.stdin.read()))';
    expect((await same({ language: 'python', code })).stdout).toBe('0\n');
    await warm.ready();
    const bytes = new Uint8Array(300_000).fill(0x61);
    expect((await same({ language: 'python', code, stdin: { bytes } })).stdout).toBe('300000\n');
  });

  test('an environment of its own makes an ordinary start, with the same outcome', async () => {
    const options = { language: 'python', code: 'import os; print(os.environ["MINE"])', env: { MINE: 'x' } };
    const taken = warm.counters().python!;
    expect(await run(warm, options)).toMatchObject({ stdout: 'x\n', status: 'ok' });
    expect(warm.counters().python).toMatchObject({ warm: taken.warm, cold: taken.cold + 1 });
  });

  test('memory runs out in both', async () => {
    const options = {
      language: 'python',
      code: 'x = bytearray(200 << 20)',
      limits: { memoryBytes: 64 * MiB },
    };
    expect((await same(options)).status).toBe('memory-limit');
  });
});

const JAVASCRIPT = {
  'the interpreter': `console.log(process.argv, process.execArgv, process.execPath, process.env, process.cwd(), process.title, process.pid, process.ppid, process.config.variables.node_shared, process.features, process.exitCode)
console.log(require('fs').readFileSync('/proc/self/cmdline', 'latin1'), require('fs').readFileSync('/proc/self/environ', 'latin1'), require('fs').readdirSync('/proc/self/task').length)`,
  modules:
    'console.log(Object.keys(require.cache), module, require.main === module, __filename, __dirname, module.paths, process.moduleLoadList.join(), Object.getOwnPropertyNames(globalThis).join())',
  descriptors: `const fs = require('fs');
for (const fd of fs.readdirSync('/proc/self/fd').map(Number).sort((a, b) => a - b)) try { console.log(fd, fs.readlinkSync('/proc/self/fd/' + fd).replace(/\\d+/g, 'N'), fs.fstatSync(fd).mode) } catch {}
console.log(process.stdin.constructor.name, process.stdout.constructor.name, process.stdin.isTTY)`,
  'listeners and handles':
    'console.log(process.eventNames(), process._getActiveHandles().length, process.getActiveResourcesInfo(), process.listenerCount("SIGTERM"))',
  'memory limits':
    'const v8 = require("v8"); console.log(v8.getHeapStatistics().heap_size_limit, process.constrainedMemory?.(), process.availableMemory === undefined)',
  'an error': 'function f() { throw new Error("x") }\nf()\n',
  'a syntax error': 'let let = 1',
  'a missing module': 'require("./nothing")',
  'an exit code': 'process.exitCode = 9',
  'a rejection': 'Promise.reject(new TypeError("y"))',
  'a module by its syntax':
    'import fs from "node:fs"; console.log(import.meta.url, fs.readFileSync(new URL(import.meta.url), "utf8")); await 1; export default 3;',
  'a worker':
    'const { Worker, isMainThread } = require("worker_threads"); if (isMainThread) new Worker(__filename); else console.log(process.argv, process.execArgv, process.env)',
  'a fork':
    'const { fork } = require("child_process"); if (process.send) console.log(process.argv, process.execArgv); else fork(__filename, ["x"])',
  input:
    'process.stdin.setEncoding("utf8").on("data", (text) => console.log(JSON.stringify(text))).on("end", () => console.log("end"))',
};

describe.skipIf(isSkipped('javascript'))('JavaScript', () => {
  test.each(Object.entries(JAVASCRIPT))('%s', async (_name, code) => {
    await same({ language: 'javascript', code, stdin: { text: 'one\ntwo ż\n' } });
  });

  test('another memory limit is another argument: it follows what is asked for', async () => {
    const options = {
      language: 'javascript',
      code: 'console.log(process.execArgv)',
      limits: { memoryBytes: 111 * MiB },
    };
    const taken = warm.counters().javascript!.warm;
    for (let times = 0; times < 12; times += 1) {
      expect((await run(warm, options)).stdout).toBe("[ '--max-old-space-size=111' ]\n");
      await new Promise((resolve) => setTimeout(resolve, 40));
      await warm.ready();
    }
    expect(warm.counters().javascript!.warm).toBeGreaterThan(taken);
  }, 60_000);
});

describe.skipIf(isSkipped('shell'))('requests that are nearly the same', () => {
  const echo = (env: Record<string, string>, args: string[] = []) =>
    run(cold, {
      language: 'shell',
      code: 'echo "$A$B$@"; ulimit -f',
      env,
      args,
      limits: { fileBytes: 512 * Number(env.A) },
    });

  test('each gets its own variables, arguments and limits, whatever was asked for before', async () => {
    for (let round = 0; round < 2; round += 1)
      for (let i = 1; i < 40; i += 1)
        expect((await echo({ A: `${i}`, B: '-' }, [`${i % 2}`])).stdout).toBe(`${i}-${i % 2}\n${i}\n`);
    expect((await echo({ A: '1', B: '-' })).stdout).toBe('1-\n1\n');
  });

  test('what is wrong stays wrong', async () => {
    const wrong = { A: '1', B: Number.NaN as unknown as string };
    for (let times = 0; times < 2; times += 1)
      await expect(echo(wrong)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
  });

  test('it is named as the caller gave it', async () => {
    for (const [field, value] of Object.entries({ killGraceMs: -1, onAbort: 'wait', network: 'all' }))
      await expect(run(cold, { language: 'shell', code: '', [field]: value } as never)).rejects.toThrow(
        `options.${field}`,
      );
  });
});

const ELIXIR = {
  modules: ':code.all_loaded() |> :lists.sort() |> :lists.map(&elem(&1, 0)) |> :io.write()',
  'the interpreter':
    'IO.inspect({System.argv(), :init.get_arguments(), :init.get_plain_arguments(), __ENV__.file, __ENV__.module, File.cwd!(), File.ls!(), System.get_env() |> Enum.sort(), File.read!("/proc/self/cmdline"), File.read!("/proc/self/environ"), :application.which_applications(), Code.required_files(), node()}, limit: :infinity, printable_limit: :infinity)',
  'processes and threads':
    'IO.inspect({length(Process.list()), Enum.sort(Process.registered()), length(File.ls!("/proc/self/task")), length(:erlang.ports()), :ets.all() |> length()}, limit: :infinity)',
  'an error': 'defmodule A do\n  def f(x), do: 1 / x\nend\nA.f(0)\n',
  'a syntax error': 'def f(',
  'an exit code': 'System.halt(5)',
  input: 'IO.inspect(IO.read(:stdio, :all))',
};

describe.skipIf(isSkipped('elixir'))('Elixir', () => {
  test.each(Object.entries(ELIXIR))(
    '%s',
    async (_name, code) => {
      await same({ language: 'elixir', code, stdin: { text: 'one\ntwo\n' } });
    },
    60_000,
  );
});

const BASH = {
  'the interpreter':
    'echo "$0 $# $- $PPID $$ $BASH_SOURCE $SHLVL $BASH_SUBSHELL"; shopt; set | grep -v -E "RANDOM|SECONDS|EPOCH|SRANDOM"; ulimit -a; trap; umask; ls -l /proc/self/fd | wc -l',
  'an error': 'nothing_here\necho $?\nexit 3',
  input: 'read a; echo "<$a>"; cat',
};

describe.each(['bash', 'shell'].filter((name) => !isSkipped(name)))('%s', (language) => {
  test.each(Object.entries(BASH))('%s', async (_name, code) => {
    await same({ language, code, stdin: { text: 'one\ntwo\n' } });
  });
});

describe('requests', () => {
  test.each([
    [{ language: 'cobol', code: '' }, 'options.language'],
    [{ language: 'cpp', code: '' }, 'options.language'],
    [{ language: 'bash', code: 1 }, 'options.code'],
    [{ language: 'bash', code: '', stdin: 'no' }, 'options.stdin'],
    [{ language: 'bash', code: '', nonsense: 1 }, 'options.nonsense'],
    [{ language: 'bash', code: '', limits: { wallTimeMs: -1 } }, 'options.limits.wallTimeMs'],
  ])('%j', async (options, field) => {
    await expect(warm.spawn(options as never)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field });
  });

  test('a language that is not installed does not keep others from waiting', async () => {
    const gone = {
      name: 'gone',
      fileName: 'main.gone',
      run: { file: 'no-such-interpreter', args: ['{source}'] },
    };
    const registry = createRegistry({ languages: [gone] });
    await using runtimes = createRuntimes({ engine, registry, standby: { gone: 1, shell: 1 } });
    await runtimes.ready();
    const { gone: missing, shell } = runtimes.counters();
    expect([missing!.waiting, shell!.waiting]).toEqual([0, 1]);
    expect(missing!.reason).toContain('no-such-interpreter');
    const request = runtimes.spawn({ language: 'gone', code: '' });
    await expect(request).rejects.toMatchObject({ code: 'SBX_LANGUAGE_UNAVAILABLE' });
  });

  test('options of createRuntimes', () => {
    expect(() => createRuntimes({} as never)).toThrow('options.engine');
    expect(() => createRuntimes({ engine, standby: { c: 1 } })).toThrow('compile step');
    expect(() => createRuntimes({ engine, standby: { python: 'x' } } as never)).toThrow(
      'options.standby.python',
    );
    expect(() => createRuntimes({ engine, other: 1 } as never)).toThrow('options.other');
  });
});
