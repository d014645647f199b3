import { describe, expect, it } from 'vitest';
import { ELIXIR_AGES, JAVASCRIPT_AGES, PYTHON_AGES, SHELL_AGES } from './ages.js';

const ASKS: readonly (readonly [RegExp, string])[] = [
  [JAVASCRIPT_AGES, 'console.log(process.uptime())'],
  [JAVASCRIPT_AGES, 'const t = performance.now()'],
  [JAVASCRIPT_AGES, "import { timeOrigin } from 'node:perf_hooks'"],
  [JAVASCRIPT_AGES, "fs.statSync('/tmp').birthtimeMs"],
  [PYTHON_AGES, 'psutil.Process().create_time()'],
  [PYTHON_AGES, "open('/proc/self/stat').read()"],
  [PYTHON_AGES, "os.stat('/tmp').st_mtime"],
  [PYTHON_AGES, "subprocess.run(['ps', '-o', 'etimes'])"],
  [ELIXIR_AGES, ':erlang.statistics(:wall_clock)'],
  [ELIXIR_AGES, 'File.stat!("/tmp")'],
  [SHELL_AGES, 'echo $SECONDS'],
  [SHELL_AGES, 'find /tmp -mmin +5'],
];
const DOES_NOT: readonly (readonly [RegExp, string])[] = [
  [JAVASCRIPT_AGES, 'console.log(Date.now(), process.hrtime.bigint(), process.memoryUsage())'],
  [PYTHON_AGES, 'import time; t = time.perf_counter(); print(time.time(), time.monotonic() - t)'],
  [ELIXIR_AGES, 'IO.puts(System.monotonic_time())'],
  [SHELL_AGES, 'echo hello | sort; printf "%s" steps'],
];

describe('source that asks for the age of its process or its files', () => {
  it.each(ASKS)('%o finds %s', (ages, code) => expect(code.search(ages)).toBeGreaterThanOrEqual(0));
  it.each(DOES_NOT)('%o leaves %s alone', (ages, code) => expect(code.search(ages)).toBe(-1));
});
