// What a caller reads when something is not as it should be.
import { Engine, ProgramError, Sandbox } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { sleep } from '../helpers/wait.js';

const suite = useEngine();
const MiB = 2 ** 20;

describe('a script', () => {
  const script = (text: string) => ({ files: { x: { text, executable: true } } });

  test.each([
    ['no interpreter', '#!/usr/bin/pyton3 -u\n', '/usr/bin/pyton3', /not the interpreter in its first line/],
    ['CRLF', '#!/bin/sh\r\necho hi\r\n', '/bin/sh\r', /carriage return: save the file with LF/],
    ['a name alone', '#!python3\n', 'python3', /must be an absolute path/],
  ])('with %s is named as such', async (_, text, interpreter, message) => {
    const run = suite.engine.run('./x', [], script(text));
    await expect(run).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND', interpreter });
    await expect(suite.engine.run('/w/x', [], script(text))).rejects.toThrow(message);
    await using sandbox = await suite.engine.createSandbox(script(text));
    await expect(sandbox.spawn('./x', [])).rejects.toThrow(message);
    await expect(sandbox.run('../w/x', [], { cwd: '/tmp' })).rejects.toThrow(/There is no program|is there/);
  });

  test('whose interpreter cannot be executed says which that is', async () => {
    await expect(suite.engine.run('./x', [], script('#!/usr\n'))).rejects.toMatchObject({
      code: 'SBX_PROGRAM_NOT_EXECUTABLE',
      message: expect.stringContaining('a script for "/usr",'),
    });
  });

  test('without execute permission is advised to have it, a folder is not', async () => {
    const run = suite.engine.run('./x', [], { files: { x: '#!/bin/sh\n' } });
    await expect(run).rejects.toThrow(/Has its file execute permission \(\{ text, executable: true \}\)\?/);
    await expect(suite.engine.run('/usr')).rejects.toThrow(/^(?!.*execute permission)/);
  });

  test('of the working folder that is named without ./ is told so', async () => {
    const files = { 'd/x': { text: '#!/bin/sh\n', executable: true } };
    for (const options of [{ files, cwd: 'd' }, { files: { x: files['d/x'] } }])
      await expect(suite.engine.run('x', [], options)).rejects.toThrow(
        /has a file of that name: give "\.\/x"\./,
      );
    await expect(suite.engine.run('x', [], { files })).rejects.toThrow(/^(?!.*of that name)/);
  });

  test('that is not there is not called one', async () => {
    await expect(suite.engine.run('./y', [])).rejects.toMatchObject({
      message: expect.stringContaining('There is no program "./y"'),
      interpreter: null,
    });
  });

  test('of a hostile program is looked at without opening what it put there', async () => {
    await using sandbox = await suite.engine.createSandbox();
    await sandbox.sh`mkfifo pipe; ln -s /proc/1/root/etc/shadow link; ln -s /etc/shadow out`;
    for (const file of ['./pipe', './link', './out'])
      await expect(sandbox.run(file)).rejects.toMatchObject({ code: /SBX_PROGRAM_NOT_(FOUND|EXECUTABLE)/ });
  });
});

describe('orThrow()', () => {
  const failure = async (file: string, args: string[], options: object) =>
    (await suite.engine.run(file, args, options).then((result) => {
      try {
        return result.orThrow();
      } catch (error) {
        return error;
      }
    })) as ProgramError;

  test('shows the end of stderr', async () => {
    const line =
      'import sys; sys.stderr.write("x" * 5000 + "\\x1b[31mTraceback: no such thing"); sys.exit(3)';
    const error = await failure('python3', ['-c', line], {});
    expect(error).toBeInstanceOf(ProgramError);
    expect(error.message).toMatch(/\(exit code 3\)\.\nstderr ends with:\n…x+ \[31mTraceback: no such thing$/);
    expect(error.message.length).toBeLessThan(1200);
  });

  test.each([
    ['cpu-limit', [t('burn-cpu'), '60000'], { cpuTimeMs: 50 }, /The limit cpuTimeMs is 50, used were \d+/],
    ['wall-limit', [t('sleep-ms'), '60000'], { wallTimeMs: 50 }, /The limit wallTimeMs is 50, used were \d+/],
    [
      'memory-limit',
      [t('hold-memory'), 'private', `${99 * MiB}`],
      { memoryBytes: 16 * MiB },
      /The limit memoryBytes is 16777216, used were \d+/,
    ],
    ['output-limit', ['/usr/bin/yes'], { outputBytes: 1000 }, /The limit outputBytes is 1000, used were \d+/],
  ])('%s: shows the limit and what was used', async (status, [file, ...args], limits, message) => {
    const error = await failure(file!, args, { limits });
    expect(error.message).toContain(`status ${status}`);
    expect(error.message).toMatch(message);
  });
});

describe('errors of the engine', () => {
  async function whereTheUserCalls(work: () => Promise<unknown>): Promise<string> {
    try {
      await work();
    } catch (error) {
      return (error as Error).stack ?? '';
    }
    return '';
  }

  test.each<[string, () => Promise<unknown>]>([
    ['Sandbox.run', () => Sandbox.run('/no/such', [], { engine: suite.engine })],
    ['Sandbox.spawn', () => Sandbox.spawn('/no/such', [], { engine: suite.engine })],
    ['engine.run', () => suite.engine.run('/no/such')],
    ['engine.spawn', () => suite.engine.spawn('/no/such')],
    ['engine.run with wrong options', () => suite.engine.run('x', [], { cwd: 5 } as object)],
  ])('%s keeps the frames of who called', async (_, work) => {
    const stack = await whereTheUserCalls(work);
    expect(stack).toContain('whereTheUserCalls');
    expect(stack.match(/whereTheUserCalls/g)).toHaveLength(1);
  });

  test('of a session, too', async () => {
    await using sandbox = await suite.engine.createSandbox();
    expect(await whereTheUserCalls(() => sandbox.run('/no/such'))).toContain('whereTheUserCalls');
    expect(await whereTheUserCalls(() => sandbox.spawn('/no/such'))).toContain('whereTheUserCalls');
  });
});

test.each([
  [Sandbox, /new Sandbox\(\) makes nothing\. Call `await Sandbox\.create\(\)` instead/],
  [Engine, /new Engine\(\) makes nothing\. Call `await Engine\.open\(\)` instead/],
])('%o by new says what to call', (type, message) => {
  const Plain = type as unknown as new () => object;
  expect(() => new Plain()).toThrow(message);
});

test('output that was asked for as a pipe and is not read is warned of, once', async () => {
  const warnings: (Error & { code?: string })[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  try {
    await using sandbox = await suite.engine.createSandbox();
    const unread = [1, 2].map(() => sandbox.spawn('/usr/bin/yes', [], { stdout: 'pipe' }));
    await using read = await sandbox.spawn('/bin/echo', ['x'], { stdout: 'pipe' });
    expect(await read.stdout.text()).toBe('x\n');
    await sleep(1500);
    for (const process of unread) await (await process).close();
  } finally {
    process.off('warning', onWarning);
  }
  expect(warnings.map(({ code }) => code)).toEqual(['SBX_UNREAD_PIPE']);
});

test('peaks of a sandbox never fall', async () => {
  await using sandbox = await suite.engine.createSandbox();
  await sandbox.run(t('hold-memory'), ['private', `${32 * MiB}`]);
  await sandbox.sh`sleep 0.05 & sleep 0.05 & sleep 0.05 & wait`;
  const before = sandbox.usage();
  expect(before.memoryPeakBytes).toBeGreaterThan(32 * MiB);
  expect(before.processPeakCount).toBeGreaterThanOrEqual(4);
  await sandbox.run('/bin/true');
  await sandbox.run('/bin/true', [], { limits: { memoryBytes: 8 * MiB } });
  const after = sandbox.usage();
  expect(after.memoryPeakBytes).toBeGreaterThanOrEqual(before.memoryPeakBytes!);
  expect(after.processPeakCount).toBeGreaterThanOrEqual(before.processPeakCount!);
  await sandbox.close();
  expect(sandbox.usage().memoryPeakBytes).toBeGreaterThanOrEqual(before.memoryPeakBytes!);
});

describe('a file', () => {
  test('that would have to move to another file system is not said to lead out', async () => {
    await using sandbox = await suite.engine.createSandbox({ files: { f: 'x' } });
    await expect(sandbox.rename('f', '/tmp/g')).rejects.toThrow('"/tmp/g" is in another file system');
    await expect(sandbox.rename('f', '/etc/g')).rejects.toThrow('leads out');
  });

  test('of the host that is a folder is called one', async () => {
    const run = suite.engine.run(t('true'), [], { files: { f: { hostFile: '/usr' } } });
    await expect(run).rejects.toMatchObject({
      code: 'SBX_FILE_IS_FOLDER',
      errnoName: 'EISDIR',
      message: expect.stringMatching(/^read "f" from "\/usr": it is a folder\..*`workspace`.*`mounts`/),
    });
  });

  test('that is a folder is removed by an option, which is said', async () => {
    await using sandbox = await suite.engine.createSandbox();
    await sandbox.mkdir('d');
    await expect(sandbox.rm('d')).rejects.toMatchObject({
      code: 'SBX_FILE_IS_FOLDER',
      errnoName: 'EISDIR',
      message: 'rm "d": it is a folder. Give { recursive: true } to remove it with all that is in it.',
    });
    await sandbox.rm('d', { recursive: true });
    expect(await sandbox.exists('d')).toBe(false);
  });

  test('cannot be the work folder, which is said of it', async () => {
    await using sandbox = await suite.engine.createSandbox();
    await expect(sandbox.rm('.', { recursive: true })).rejects.toThrow('not the folder itself');
  });
});
