import { describe, expect, it } from 'vitest';
import { ELIXIR_AGES, JAVASCRIPT_AGES, PYTHON_AGES, SHELL_AGES } from './ages.js';

const ASKS: readonly (readonly [RegExp, string])[] = [
  [JAVASCRIPT_AGES, 'console.log(process.uptime())'],
  [JAVASCRIPT_AGES, 'const t = performance.now()'],
  [JAVASCRIPT_AGES, "import { timeOrigin } from 'node:perf_hooks'"],
  [JAVASCRIPT_AGES, "fs.statSync('/tmp').birthtimeMs"],
  [JAVASCRIPT_AGES, "console.log(fs.lstatSync('.'))"],
  [JAVASCRIPT_AGES, "new Event('x').timeStamp"],
  [JAVASCRIPT_AGES, 'process.report.getReport()'],
  [PYTHON_AGES, 'psutil.Process().create_time()'],
  [PYTHON_AGES, "open('/proc/self/stat').read()"],
  [PYTHON_AGES, "os.stat('/tmp').st_mtime"],
  [PYTHON_AGES, "os.path.join('/proc', 'self', 'stat')"],
  [PYTHON_AGES, "(Path('/proc') / 'self' / 'stat').read_text()"],
  [PYTHON_AGES, "print(os.lstat('.'))"],
  [PYTHON_AGES, "subprocess.run(['ps', 'aux'])"],
  [PYTHON_AGES, "subprocess.run(['ls', '-la'])"],
  [PYTHON_AGES, "subprocess.run(['ps', '-o', 'etimes'])"],
  [ELIXIR_AGES, ':erlang.statistics(:wall_clock)'],
  [ELIXIR_AGES, 'File.stat!("/tmp")'],
  [ELIXIR_AGES, ':erlang.system_info(:start_time)'],
  [ELIXIR_AGES, ':file.read_file_info("/tmp")'],
  [SHELL_AGES, 'echo $SECONDS'],
  [SHELL_AGES, 'echo $((60 - SECONDS))'],
  [SHELL_AGES, 'find /tmp -mmin +5'],
  [SHELL_AGES, 'ls -ld /tmp'],
  [SHELL_AGES, 'date -r /tmp'],
  [SHELL_AGES, '[ /tmp -ot main.sh ]'],
];
const DOES_NOT: readonly (readonly [RegExp, string])[] = [
  [JAVASCRIPT_AGES, 'console.log(Date.now(), process.hrtime.bigint(), process.memoryUsage())'],
  [
    PYTHON_AGES,
    "start_time = time.time(); statistics.mean(x); status = 'started'; subprocess.run(['ls', 'psalms'])",
  ],
  [JAVASCRIPT_AGES, "const start_time = Date.now(); status('stats'); execSync('ls psalms')"],
  [PYTHON_AGES, 'import time; t = time.perf_counter(); print(time.time(), time.monotonic() - t)'],
  [ELIXIR_AGES, 'start_time = System.monotonic_time(); IO.puts(start_time)'],
  [SHELL_AGES, 'echo hello | sort; printf "%s" steps'],
];

const BITS = ['/proc/', '/proc/x ', 'ls ', "ls '", 'ls -', 'date ', '- ', ' ', '"', 'a', 'st_', '\\n'];

describe('source that asks for the age of its process or its files', () => {
  it.each(ASKS)('%o finds %s', (ages, code) => expect(code.search(ages)).toBeGreaterThanOrEqual(0));
  it.each(DOES_NOT)('%o leaves %s alone', (ages, code) => expect(code.search(ages)).toBe(-1));

  it.each(BITS)('of hostile text, many of %j, it is known in time', (bit) => {
    const before = process.cpuUsage();
    for (const ages of [JAVASCRIPT_AGES, PYTHON_AGES, ELIXIR_AGES, SHELL_AGES]) {
      bit.repeat(2 ** 18 / bit.length).search(ages);
      `${bit}${' '.repeat(2 ** 18)}`.search(ages);
      `${bit}${'a'.repeat(2 ** 18)}`.search(ages);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
  });
});
