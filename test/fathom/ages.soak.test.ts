// Code that asks how old its process and its files are: everything is younger than the request, whatever
// stood ready before.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../helpers/wait.js';
import { Talk, useServer } from './server.js';

const place = useServer({ standby: { python: 1, javascript: 1, shell: 1, elixir: 1 } });
let talk: Talk;
beforeAll(async () => {
  await place.server.ready();
  talk = await Talk.open(place.url);
}, 60_000);
afterAll(() => talk.close());

/** Between making what stands ready and asking. */
const IDLE_MS = 1000;
/** Ticks of 10 ms in which /proc tells starts, and the coarse clock of files. */
const GRAIN_MS = 20;

const PYTHON_START = `import os, time
from pathlib import Path
def started(path):
    ticks = int(Path(path).read_text().rsplit(")", 1)[1].split()[19])
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")
`;

/** Each prints points in time, in ms since 1970. */
const CASES: [string, string, string, number?][] = [
  ['python', '/proc/self/stat', `${PYTHON_START}print(started("/proc/self/stat") * 1000)`],
  [
    'python',
    'the same in parts',
    `${PYTHON_START}print(started(os.path.join("/proc", str(os.getpid()), "stat")) * 1000)`,
  ],
  [
    'python',
    'times of files',
    'import os\nfor p in ["/tmp", ".", "main.py", "/proc/self"]:\n  s = os.stat(p); print(s.st_mtime * 1000, s.st_ctime * 1000)',
  ],
  ['javascript', 'timeOrigin', 'console.log(performance.timeOrigin, Date.now() - performance.now())'],
  ['javascript', 'uptime', 'console.log(Date.now() - process.uptime() * 1000)'],
  ['javascript', 'an event', "console.log(Date.now() - new Event('x').timeStamp)"],
  ['javascript', 'a timer', 'console.log(Date.now() - setTimeout(() => undefined)._idleStart)'],
  [
    'javascript',
    'times of files',
    "for (const p of ['/tmp', '.', 'main.js']) { const s = require('fs').statSync(p); console.log(s.birthtimeMs, s.mtimeMs, s.ctimeMs); }",
  ],
  [
    'elixir',
    'wall_clock',
    'IO.puts(System.os_time(:millisecond) - elem(:erlang.statistics(:wall_clock), 0))',
  ],
  [
    'elixir',
    'start_time',
    'IO.puts(System.os_time(:millisecond) - div(:erlang.monotonic_time() - :erlang.system_info(:start_time), 1_000_000))',
  ],
  [
    'elixir',
    'times of files',
    'for p <- ["/tmp", "."], do: IO.puts(File.stat!(p, time: :posix).mtime * 1000)',
    1000,
  ],
  ['shell', 'SECONDS', 'echo $(( ($(date +%s) - SECONDS) * 1000 ))', 2000],
  ['shell', 'times of files', "stat -c '%W000 %Y000 %Z000' /tmp . main.sh", 1000],
];

test.each(CASES)('%s: %s', async (language, _, code, grainMs = GRAIN_MS) => {
  await sleep(IDLE_MS + grainMs);
  const sinceMs = Date.now();
  const { status, stdout, stderr } = await talk.run({ language, code });
  expect({ status, stderr }).toEqual({ status: 'completed', stderr: '' });
  const times = stdout.trim().split(/\s+/).map(Number);
  for (const time of times) expect(time, stdout).toBeGreaterThanOrEqual(sinceMs - grainMs);
});

test('the rest gets an interpreter that waits, as before', async () => {
  await place.server.ready();
  await talk.run({ language: 'python', code: 'print(1)' });
  const metrics = await (await fetch(`${place.http}/metrics`)).text();
  expect(metrics).toMatch(/served_total\{language="python",from="waiting"\} 1$/m);
});
