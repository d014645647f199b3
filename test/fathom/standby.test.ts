// Interpreters that wait: the same outcome as an ordinary start, never the same interpreter twice.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

test('an environment of the client’s own, and more at once than wait, are served all the same', async () => {
  const own = { language: 'python', code: 'import os; print(os.environ["MINE"])', env: { MINE: 'yes' } };
  expect((await toWarm!.run(own)).stdout).toBe('yes\n');
  const many = Array.from({ length: 6 }, () => execute({ language: 'python', code: 'print("one of many")' }));
  for (const message of many) toWarm!.send(message);
  const fates = await Promise.all(many.map(({ id }) => toWarm!.fate(id)));
  expect(fates.map(({ stdout }) => stdout)).toEqual(many.map(() => 'one of many\n'));
});

test('some were served by an interpreter that waited', async () => {
  const text = await (await fetch(`${warm.http}/metrics`)).text();
  const served = [
    ...text.matchAll(/^sbx_fathom_standby_served_total\{language="(\w+)",from="waiting"\} (\d+)$/gm),
  ];
  const byLanguage = Object.fromEntries(served.map(([, name, count]) => [name, Number(count)]));
  for (const language of Object.keys(counts)) expect(byLanguage[language], language).toBeGreaterThan(0);
});
