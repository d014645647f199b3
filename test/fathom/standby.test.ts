// Interpreters that wait: the same outcome as an ordinary start, never the same interpreter twice.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paced } from '../helpers/pace.js';
import { sleep, until } from '../helpers/wait.js';
import { execute, type Fate, Talk, useServer } from './server.js';

const counts = { python: 2, javascript: 1, shell: 1, elixir: 1 };
const warm = useServer({ standby: counts });
const cold = useServer({ standby: {} }, () => warm.server.engine);
let [toWarm, toCold]: Talk[] = [];
beforeAll(async () => {
  await warm.server.ready();
  [toWarm, toCold] = await Promise.all([Talk.open(warm.url), Talk.open(cold.url)]);
}, 60_000);
afterAll(async () => {
  await toWarm!.close();
  await toCold!.close();
});

/** What a client can tell of an execution, times aside. */
function visible({ sequence, stdout, stderr, result, error }: Fate) {
  return { sequence, stdout, stderr, exitCode: result?.exit_code, error: error?.code };
}

const PROGRAMS: [string, string, string][] = [
  [
    'python',
    'argv and name',
    'import sys; print(sys.argv, __name__, __file__, sys.flags, sorted(sys.modules))',
  ],
  ['python', 'traceback', 'def f():\n  raise ValueError("x")\nf()'],
  ['python', 'syntax error', 'def'],
  ['python', 'exit code', 'raise SystemExit(7)'],
  ['python', 'stdin', 'print(repr(input()))'],
  ['python', 'signal', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)'],
  ['python', 'environment', 'import os; print(sorted(os.environ.items()))'],
  [
    'javascript',
    'argv',
    'console.log(process.argv, process.execArgv, module.children.length, require.main === module)',
  ],
  ['javascript', 'stack', 'throw new TypeError("x")'],
  ['javascript', 'module', 'import fs from "node:fs"; console.log(fs.readdirSync("."), import.meta.url)'],
  ['javascript', 'stdin', 'process.stdin.pipe(process.stdout)'],
  ['shell', 'arguments', 'echo "$0 $# $-"; cat; exit 4'],
  ['elixir', 'arguments', 'IO.inspect({System.argv(), __ENV__.file})'],
  ['elixir', 'raise', 'raise "x"'],
];

describe('a program cannot tell', () => {
  test.each(PROGRAMS)('%s: %s', async (language, _, code) => {
    const request = { language, code, stdin: 'line\n' };
    const [here, there] = [await toWarm!.run(request), await toCold!.run(request)];
    expect(visible(here)).toEqual(visible(there));
  });
});

test('limits and figures begin at the hand-over', async () => {
  const fate = await toWarm!.run({
    language: 'python',
    code: 'import time; time.sleep(60)',
    limits: { timeout_ms: 300 },
  });
  expect(fate.status).toBe('timeout');
  expect(fate.result!.duration_ms).toBeGreaterThanOrEqual(300);
  expect(fate.result!.duration_ms).toBeLessThan(2000);
  const code = 'x = bytearray(200_000_000)\nfor i in range(0, len(x), 4096): x[i] = 1';
  expect((await toWarm!.run({ language: 'python', code, limits: { memory_mb: 100 } })).status).toBe('oom');
});

test('each serves one execution: what it left is never seen again', async () => {
  const code =
    'import builtins, os; print(hasattr(builtins, "mark"), os.listdir("/tmp")); builtins.mark = 1; open("/tmp/mark", "w")';
  for (let round = 0; round < 8; round += 1) {
    expect((await toWarm!.run({ language: 'python', code })).stdout).toBe('False []\n');
  }
});

/** Executions so far, by language: from interpreters that waited, and from ordinary starts. */
async function served(): Promise<Record<string, { waiting: number; start: number }>> {
  const text = await (await fetch(`${warm.http}/metrics`)).text();
  const total: Record<string, { waiting: number; start: number }> = {};
  const line = /^sbx_fathom_standby_served_total\{language="(\w+)",from="(waiting|start)"\} (\d+)$/gm;
  for (const [, language, from, number] of text.matchAll(line)) {
    total[language!] ??= { waiting: 0, start: 0 };
    total[language!]![from as 'waiting' | 'start'] = Number(number);
  }
  return total;
}

/** All the ways in which a program meets its environment. */
const ENVIRONMENTS: Record<string, string> = {
  python: `import ctypes, os, subprocess
get = ctypes.CDLL(None).getenv
get.restype = ctypes.c_char_p
print(os.environ.get("MINE"), get(b"MINE"), sorted(os.environ.items()))
print(subprocess.run(["/bin/sh", "-c", "echo $MINE"], capture_output=True).stdout)
print(open("/proc/self/environ", "rb").read())`,
  javascript: `import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
console.log(process.env.MINE, Object.entries(process.env));
console.log(String(execFileSync('/bin/sh', ['-c', 'echo $MINE'])), String(readFileSync('/proc/self/environ')));`,
  elixir: `IO.inspect({System.get_env("MINE"), :os.getenv('MINE'), Enum.sort(System.get_env())}, limit: :infinity)
IO.puts(elem(System.cmd("/bin/sh", ["-c", "echo $MINE"]), 0))
IO.inspect(File.read!("/proc/self/environ"), limit: :infinity, printable_limit: :infinity)`,
};

describe('an environment of the client’s own', () => {
  test.each(Object.keys(ENVIRONMENTS))(
    '%s: a new one is an ordinary start, the same again waits',
    async (language) => {
      const env = { MINE: `of ${language}`, LANG: 'C' };
      const request = { language, code: ENVIRONMENTS[language]!, env };
      const there = visible(await toCold!.run(request));
      expect(there.stdout).toContain(env.MINE);
      await warm.server.ready();
      const before = (await served())[language]!;
      expect(visible(await toWarm!.run(request))).toEqual(there);
      expect((await served())[language]).toEqual({ ...before, start: before.start + 1 });
      const isWarm = async () => {
        expect(visible(await toWarm!.run(request))).toEqual(there);
        await sleep(100); // one is started anew 20 ms after the hand-over
        await warm.server.ready();
        return (await served())[language]!.waiting > before.waiting;
      };
      await until(paced(20_000), 'one that waits serves it', isWarm);
      const other = await toWarm!.run({ ...request, env: { MINE: 'other' } });
      expect(other.stdout).toContain('other');
      expect(other.stdout).not.toContain(env.MINE);
    },
  );
});

test('more at once than wait are served all the same', async () => {
  const many = Array.from({ length: 6 }, () => execute({ language: 'python', code: 'print("one of many")' }));
  for (const message of many) toWarm!.send(message);
  const fates = await Promise.all(many.map(({ id }) => toWarm!.fate(id)));
  expect(fates.map(({ stdout }) => stdout)).toEqual(many.map(() => 'one of many\n'));
});

test('some were served by an interpreter that waited', async () => {
  const counted = await served();
  for (const language of Object.keys(counts)) expect(counted[language]!.waiting, language).toBeGreaterThan(0);
});
