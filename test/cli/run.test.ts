// `sbx run` as users and scripts see it: streams, exit codes, limits, files, mistakes.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runningPrograms } from '../helpers/running.js';
import { ended, SBX, sbx, startSbx } from './sbx.js';

let folder = '';
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-cli-'));
  writeFileSync(
    file('echo.py'),
    'import sys\nprint(sys.argv[1:])\nprint(sys.stdin.read().upper(), end="")\n',
  );
  writeFileSync(file('fail.cpp'), '#include <iostream>\nint main() { std::cerr << "no\\n"; return 7; }\n');
  writeFileSync(file('broken.cpp'), 'int main() { return x; }\n');
  writeFileSync(file('tool'), '#!/usr/bin/env python3\nprint("tool")\n');
  copyFileSync('/usr/bin/echo', file('binary'));
  chmodSync(file('binary'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const program = (...words: string[]) => ['run', '--', ...words];
const shell = (script: string, ...flags: string[]) => ['run', ...flags, '--', 'sh', '-c', script];

test('a source whose name looks like a flag runs under another one', async () => {
  writeFileSync(file('+x.sh'), 'echo $0\n');
  expect((await sbx(['run', file('+x.sh')])).stdout).toBe('main.sh\n');
});

test('a source in another encoding runs as it is', async () => {
  const text = '# -*- coding: latin-1 -*-\nprint(ascii("\u00e9"))\n';
  writeFileSync(file('latin1.py'), Buffer.from(text, 'latin1'));
  expect((await sbx(['run', file('latin1.py')])).stdout).toBe("'\\xe9'\n");
});

describe('streams are the program’s own', () => {
  test('stdin, stdout and stderr', async () => {
    const result = await sbx(shell('cat; echo talk >&2'), { stdin: 'data\n' });
    expect(result).toMatchObject({ stdout: 'data\n', code: 0 });
    expect(result.stderr).toMatch(
      /^talk\nsbx: ok, exit code 0 · cpu .* · wall .* · memory .* · \d+ process(es)?\n$/,
    );
  });

  test('a folder as stdin is a mistake, not an empty input', async () => {
    const shown = spawnSync(SBX, ['run', '--', 'true'], { stdio: [openSync(folder, 'r'), 'pipe', 'pipe'] });
    expect(shown.status).toBe(64);
    expect(String(shown.stderr)).toBe('sbx: error: stdin is a folder\nsbx: Redirect from a file: < FILE\n');
  });

  test('--quiet leaves stderr to the program', async () => {
    expect((await sbx(shell('echo talk >&2', '--quiet'))).stderr).toBe('talk\n');
  });

  test('output comes while it runs, and input is read while it runs', async () => {
    const child = startSbx(shell('read -r line; echo "got $line"; read -r line; echo "got $line"', '-q'));
    child.stdin.write('one\n');
    const [first] = await once(child.stdout, 'data');
    expect(String(first)).toBe('got one\n');
    child.stdin.write('two\n');
    expect(await ended(child)).toMatchObject({ stdout: 'got two\n', code: 0 });
  });

  test('more than memory would hold passes through', async () => {
    const child = startSbx(program('sh', '-c', 'head -c 300000000 /dev/zero'));
    child.stdin.end();
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const [code] = await once(child, 'close');
    expect({ bytes, code }).toEqual({ bytes: 300_000_000, code: 0 });
  });

  test('a program that ends does not wait for its input', async () => {
    const child = startSbx(program('true'));
    expect(await ended(child)).toMatchObject({ code: 0 });
  });

  test('a reader that goes away ends the program', async () => {
    const child = startSbx(program('yes'));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect(code).toBe(141);
  });
});

describe('exit codes', () => {
  const cases: [string, string[], number][] = [
    ['the program’s own', shell('exit 42'), 42],
    ['a signal', shell('kill -SEGV $$'), 139],
    ['the CPU limit', shell('while :; do :; done', '--cpu', '300ms'), 124],
    ['the wall limit', ['run', '--wall', '300ms', '--', 'sleep', '60'], 124],
    ['the memory limit', shell('x=1234567890; while :; do x=$x$x; done', '--memory', '32MiB'), 137],
    ['the output limit', ['run', '--output', '1KiB', '--', 'yes'], 153],
    ['a file that grows too large', shell('head -c 2000000 /dev/zero > big', '--file-size', '1MiB'), 153],
    ['a missing file to take out', ['run', '-o', 'nothing.txt', '--', 'true'], 74],
    ['a missing program', program('no-such-program'), 127],
    ['a program that is none', program('/etc/passwd'), 126],
    ['no such file', ['run', '/no/such/file.py'], 66],
    ['wrong usage', ['run', '--cpu', '5', '--', 'true'], 64],
    ['a limit out of range', ['run', '--cpu', '0s', '--', 'true'], 64],
    ['an unknown language', ['run', '--language', 'pyton', '/dev/null'], 64],
  ];
  test.each(cases)('%s', async (_name, args, code) => {
    expect(await sbx(args)).toMatchObject({ code, signal: null });
  });
});

describe('files', () => {
  test('a source file runs by its extension, with arguments', async () => {
    const result = await sbx(['run', '-q', file('echo.py'), 'a', '--', '-b'], { stdin: 'hi\n' });
    expect(result).toMatchObject({ stdout: "['a', '-b']\nHI\n", stderr: '', code: 0 });
  });

  test('a compiled language is compiled', async () => {
    expect(await sbx(['run', '-q', file('fail.cpp')])).toMatchObject({ stdout: '', stderr: 'no\n', code: 7 });
  });

  test('what the compiler says is talk, and its own exit code', async () => {
    const { stdout, stderr, code } = await sbx(['run', file('broken.cpp')]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 65 });
    expect(stderr).toMatch(/broken\.cpp:1:\d+: error/);
    expect(stderr).toMatch(/sbx: did not compile: exit, exit code 1/);
  });

  test('a file without extension runs by its first line, an executable as it is', async () => {
    expect((await sbx(['run', file('tool')])).stdout).toBe('tool\n');
    expect((await sbx(['run', file('binary'), 'as', 'is'])).stdout).toBe('as is\n');
  });

  test('in and out', async () => {
    const out = file('out.txt');
    const flags = ['-f', `in.txt=${file('broken.cpp')}`, '-o', `made.txt=${out}`];
    const result = await sbx(shell('tr a-z A-Z < in.txt > made.txt; chmod 4755 made.txt', ...flags));
    expect(result.code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe('INT MAIN() { RETURN X; }\n');
    expect(statSync(out).mode & 0o7000).toBe(0);
  });

  test('a folder of the host is not reached through names', async () => {
    const result = await sbx(['run', '-f', `../../evil=${file('tool')}`, '--', 'true']);
    expect(result.code).toBe(64);
  });
});

describe('options', () => {
  test('environment and folder', async () => {
    const flags = ['-e', 'A=1', '-e', 'B=x=y', '--cwd', '/tmp', '-q'];
    const { stdout } = await sbx(shell('echo "$A $B $HOME $SECRET"; pwd', ...flags), {
      env: { SECRET: 'host' },
    });
    expect(stdout).toBe('1 x=y /w \n/tmp\n');
  });

  test('the loopback interface', async () => {
    const script =
      'import socket; s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname()); print(1)';
    expect((await sbx(['run', '--network', 'loopback', '-q', '--', 'python3', '-c', script])).stdout).toBe(
      '1\n',
    );
    expect((await sbx(['run', '-q', '--', 'python3', '-c', script])).code).toBe(1);
  });

  test('a refused system call kills when asked to', async () => {
    const script = 'import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))';
    expect((await sbx(['run', '-q', '--', 'python3', '-c', script])).stdout).toBe('-1\n');
    expect((await sbx(['run', '-q', '--seccomp-action', 'kill', '--', 'python3', '-c', script])).code).toBe(
      159,
    );
  });
});

describe('--json', () => {
  const json = async (args: string[]) => {
    const { stdout, stderr, code } = await sbx(args);
    expect(stderr).toBe('');
    return { ...JSON.parse(stdout), code };
  };

  test('one object with everything', async () => {
    const result = await json(['run', '--json', '--', 'sh', '-c', 'printf "a\\377"; echo b >&2; exit 3']);
    expect(result).toMatchObject({
      version: 1,
      command: 'run',
      stage: 'run',
      language: null,
      status: 'exit',
      ok: false,
      exitCode: 3,
      exitSignal: null,
      stdout: { text: 'a\uFFFD', base64: 'Yf8=', truncated: false, totalBytes: 2 },
      stderr: { text: 'b\n', base64: null },
      compile: null,
      files: [],
      fileErrors: [],
      exitStatus: 3,
      code: 3,
    });
    expect(result.usage).toEqual({
      cpuTimeMs: expect.any(Number),
      wallTimeMs: expect.any(Number),
      memoryPeakBytes: expect.any(Number),
      fileCacheBytes: null,
      processPeakCount: expect.any(Number),
    });
  });

  test('a failed compilation', async () => {
    const result = await json(['run', '--json', file('broken.cpp')]);
    expect(result).toMatchObject({
      stage: 'compile',
      language: 'cpp',
      status: 'exit',
      exitStatus: 65,
      code: 65,
    });
    expect(result.stderr.text).toContain('error');
  });

  test('output beyond its bound', async () => {
    const result = await json(['run', '--json', '--output', '10B', '--', 'yes']);
    expect(result).toMatchObject({
      status: 'output-limit',
      stdout: { text: 'y\n'.repeat(5), truncated: true },
    });
  });

  test('files taken out', async () => {
    const path = file('made.bin');
    const result = await json([
      'run',
      '--json',
      '-o',
      `a=${path}`,
      '-o',
      'b',
      '--',
      'sh',
      '-c',
      'echo 1 > a',
    ]);
    expect(result).toMatchObject({
      status: 'file-error',
      ok: false,
      files: [{ name: 'a', path, bytes: 2 }],
      fileErrors: [{ path: 'b', code: 'not-found' }],
      code: 74,
    });
  });

  test('an error', async () => {
    const result = await json(['run', '--json', '--', 'no-such-program']);
    expect(result).toMatchObject({
      version: 1,
      error: { code: 'SBX_PROGRAM_NOT_FOUND' },
      exitStatus: 127,
      code: 127,
    });
  });
});

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s kills the sandbox and ends with %i', async (signal, code) => {
    const child = startSbx(shell('trap "" INT TERM HUP; echo ready; while :; do sleep 1; done', '-q'));
    await once(child.stdout, 'data');
    const started = performance.now();
    child.kill(signal);
    expect(await ended(child)).toMatchObject({ code, signal: null });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test.each([
    ['passed through', []],
    ['kept', ['--output', '3MiB']],
  ])('also while nobody takes the output, which is %s', async (_, flags) => {
    const child = startSbx(shell('head -c 2000000 /dev/zero; sleep 60', '-q', ...flags));
    await once(child.stdout, 'readable'); // more than lies in pipes is on its way
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
  });

  test('with --json there is an object even so', async () => {
    const child = startSbx(['run', '--json', '--', 'sleep', '60']);
    await runningPrograms('sleep', 1, child.pid);
    child.kill('SIGTERM');
    const { stdout, code } = await ended(child);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, error: { code: 'INTERRUPTED' }, exitStatus: 143 });
    expect(code).toBe(143);
  });
});

describe('mistakes say what to do', () => {
  const cases: [string, () => string[], RegExp, code?: number][] = [
    ['nothing to run', () => ['run'], /sbx run FILE, or: sbx run -- PROGRAM/],
    ['a dash for stdin', () => ['run', '-l', 'python', '-'], /sbx run --language python \/dev\/stdin/, 66],
    ['dashes forgotten', () => ['run', 'echo', 'hi'], /there is no file "echo"\n.*sbx run -- echo hi/, 66],
    [
      'a flag of the program before the dashes',
      () => ['run', file('echo.py'), '--verbose'],
      /unknown option '--verbose'/,
    ],
    ['an unknown extension', () => ['run', '/etc/ld.so.conf'], /cannot be told by its name\n.*\.py/, 67],
    ['a slip in a language', () => ['run', '-l', 'pyton', file('tool')], /Did you mean python\?/],
    [
      'a time without unit',
      () => ['run', '--wall', '5', '--', 'true'],
      /--wall: "5" is not a time; write .* 500ms/,
    ],
    ['--tty without one', () => ['run', '--tty', '--', 'sh'], /--tty needs a terminal/],
  ];
  test.each(cases)('%s', async (_name, make, message, expected = 64) => {
    const { stdout, stderr, code } = await sbx(make());
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});

test('--root minimal shows what a language needs, and packages that are named', async () => {
  const root = (value: string, ...words: string[]) => sbx(['run', '--root', value, ...words]);
  expect((await root('minimal', file('echo.py'), 'x')).stdout).toBe("['x']\n");
  const missing = await root('minimal', '--', 'ls');
  expect([missing.code, missing.stderr]).toEqual([127, expect.stringContaining('the minimal root does not')]);
  expect((await root('minimal:coreutils', '--', 'ls', '/usr/bin/ls')).stdout).toBe('/usr/bin/ls\n');
  const wrong = await root('tiny', '--', 'ls');
  expect([wrong.code, wrong.stderr]).toEqual([
    64,
    expect.stringContaining('--root must be host, minimal or'),
  ]);
});
