// Every tool by the protocol's own client, over HTTP with sessions and without.
import { describe, expect, test } from 'vitest';
import { ERAS, TestClient, useServer } from './server.js';

const target = useServer({
  shownBytesMax: 4096,
  fileBytesMax: 64 * 1024,
  sandboxCountMax: 64,
  memoryBytesMax: 2 ** 40,
});
const MiB = 2 ** 20;

describe.each(ERAS)('%s', (era) => {
  const connect = () => TestClient.overHttp(target.url, era);

  test('the tools are those of the documentation, with schemas and hints', async () => {
    await using client = await connect();
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'run_code',
      'run_command',
      'write_file',
      'read_file',
      'list_files',
      'start_process',
      'read_output',
      'write_input',
      'stop_process',
      'create_sandbox',
      'close_sandbox',
    ]);
    for (const { inputSchema, outputSchema, annotations, description } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations?.openWorldHint).toBe(false);
      expect(description).toMatch(/\.$/);
    }
    expect(client.client.getInstructions()).toMatch(/no network/);
  });

  test('code is run, with a verdict and what it used', async () => {
    await using client = await connect();
    const { text, fields } = await client.call('run_code', {
      language: 'python',
      code: 'import sys\nprint(int(input()) + 1)\nprint("oops", file=sys.stderr)\nsys.exit(3)',
      stdin: '41\n',
    });
    expect(fields).toMatchObject({
      verdict: 'exit',
      stage: 'run',
      exitCode: 3,
      exitSignal: null,
      stdout: '42\n',
      stderr: 'oops\n',
      cut: { stdoutBytes: 0, stderrBytes: 0 },
    });
    expect(fields.cpuTimeMs).toBeGreaterThan(0);
    expect(fields.memoryPeakBytes).toBeGreaterThan(MiB);
    expect(text).toMatch(/^exit, exit code 3 · cpu [\d.]+ ms · wall [\d.]+ ms · peak memory [\d.]+ MiB\n/);
    expect(text).toContain('--- stdout ---\n42\n--- stderr ---\noops');
  });

  test('a compiled language: its errors, then its program', async () => {
    await using client = await connect();
    const broken = await client.call('run_code', { language: 'c', code: 'int main(' });
    expect(broken).toMatchObject({ isError: false, fields: { stage: 'compile', verdict: 'exit' } });
    expect(broken.fields.stderr).toMatch(/error: expected/);
    const code = '#include <stdio.h>\nint main(void){puts("hi");return 0;}';
    const right = await client.call('run_code', { language: 'c', code });
    expect(right.fields).toMatchObject({ stage: 'run', verdict: 'ok', stdout: 'hi\n' });
  });

  test.each([
    ['cpuTimeMs', 100, 'while True: pass', 'cpu-limit'],
    ['wallTimeMs', 100, 'import time\ntime.sleep(60)', 'wall-limit'],
    ['memoryBytes', 32 * MiB, 'x = bytearray(200 << 20)', 'memory-limit'],
    ['outputBytes', 1000, 'print("x" * 100000)', 'output-limit'],
  ])('limits.%s ends a program and is the verdict', async (limit, value, code, verdict) => {
    await using client = await connect();
    const { fields } = await client.call('run_code', {
      language: 'python',
      code,
      limits: { [limit]: value },
    });
    expect(fields.verdict).toBe(verdict);
  });

  test('an output is shown by its beginning and its end, and what is cut is said', async () => {
    await using client = await connect();
    const { fields, text } = await client.call('run_command', {
      command: 'echo begin; seq 100000; echo end >&2; echo end',
    });
    const stdout = String(fields.stdout);
    expect(stdout).toMatch(/^begin\n/);
    expect(stdout).toMatch(/\nend\n$/);
    const whole = 'begin\n'.length + 588_895 + 'end\n'.length;
    expect(fields.cut).toEqual({ stdoutBytes: whole - 4096, stderrBytes: 0 });
    expect(stdout).toContain(`\n[… ${whole - 4096} bytes left out …]\n`);
    expect(text).toContain(`stdout: ${whole - 4096} bytes are left out`);
  });

  test('files: written, listed, read in parts, seen by programs', async () => {
    await using client = await connect();
    const sandbox = await client.sandbox();
    await client.call('write_file', { sandbox, path: 'src/a.txt', content: 'äöü' });
    await client.call('write_file', { sandbox, path: 'b.bin', content: '/wD+', encoding: 'base64' });
    await client.call('write_file', {
      sandbox,
      path: 'go',
      content: '#!/bin/sh\necho ran',
      executable: true,
    });
    const ran = await client.call('run_command', {
      sandbox,
      command: './go; cat a.txt',
      cwd: 'src',
      env: { A: 'b' },
    });
    expect(ran.fields.stdout).toBe('äöü');
    expect((await client.call('run_command', { sandbox, command: './go' })).fields.stdout).toBe('ran\n');
    const list = await client.call('list_files', { sandbox, recursive: true });
    expect(list.fields.entries).toEqual([
      { path: 'b.bin', kind: 'file', sizeBytes: 3 },
      { path: 'go', kind: 'file', sizeBytes: 18 },
      { path: 'src', kind: 'dir', sizeBytes: expect.any(Number) },
      { path: 'src/a.txt', kind: 'file', sizeBytes: 6 },
    ]);
    expect((await client.call('list_files', { sandbox, maxCount: 1 })).fields).toMatchObject({ isCut: true });
    const deep = `d=$(printf %0200d 0); for i in 1 2 3 4 5; do mkdir $d; cd $d; done; seq 900 | xargs touch`;
    await client.call('run_command', { sandbox, command: deep });
    const long = await client.call('list_files', { sandbox, recursive: true, maxCount: 1000 });
    expect(long.fields).toMatchObject({ isCut: true });
    expect(JSON.stringify(long.fields).length).toBeLessThan(160 * 1024);
    await client.call('run_command', { sandbox, command: 'rm -r 0*' });
    const bytes = await client.call('read_file', { sandbox, path: 'b.bin' });
    expect(bytes.fields).toMatchObject({ content: '/wD+', encoding: 'base64', sizeBytes: 3 });
    // A part never ends inside a character.
    const part = await client.call('read_file', { sandbox, path: 'src/a.txt', maxBytes: 5 });
    expect(part.fields).toMatchObject({ content: 'äö', encoding: 'utf-8', nextOffsetBytes: 4, sizeBytes: 6 });
    const rest = await client.call('read_file', { sandbox, path: 'src/a.txt', offsetBytes: 4 });
    expect(rest.fields).toMatchObject({ content: 'ü', nextOffsetBytes: null });
  });

  test('run_code takes no file away and leaves none', async () => {
    await using client = await connect();
    const sandbox = await client.sandbox();
    await client.call('write_file', { sandbox, path: 'main.py', content: 'mine' });
    await client.call('write_file', { sandbox, path: 'main', content: 'mine too' });
    const run = await client.call('run_code', {
      sandbox,
      language: 'python',
      code: 'print(open("main.py").read())',
    });
    expect(run.fields.stdout).toBe('mine\n');
    const compiled = await client.call('run_code', {
      sandbox,
      language: 'c',
      code: 'int main(void){return 0;}',
    });
    expect(compiled).toMatchObject({ isError: true, text: expect.stringContaining('something named main') });
    const names = await client.call('run_command', { sandbox, command: 'ls -A; cat main' });
    expect(names.fields.stdout).toBe('main\nmain.py\nmine too');
  });

  test('two programs at once in one sandbox, of a compiled language', async () => {
    await using client = await connect();
    const sandbox = await client.sandbox();
    const code = (n: number) => `#include <stdio.h>\nint main(void){printf("%d", ${n});return 0;}`;
    const runs = [1, 2, 3].map((n) => client.call('run_code', { sandbox, language: 'c', code: code(n) }));
    expect((await Promise.all(runs)).map(({ fields }) => fields.stdout)).toEqual(['1', '2', '3']);
  });

  test('files are resources', async () => {
    await using client = await connect();
    const sandbox = await client.sandbox();
    await client.call('write_file', { sandbox, path: 'a b/ü%.txt', content: 'text' });
    const uri = `sbx://${sandbox}/a%20b/%C3%BC%25.txt`;
    const { resources } = await client.client.listResources();
    // Without sessions a list would name the files of others.
    expect(resources.map((resource) => resource.uri)).toEqual(era === 'legacy' ? [uri] : []);
    const { contents } = await client.client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'text/plain', text: 'text' }]);
    await expect(client.client.readResource({ uri: `sbx://${sandbox}/none` })).rejects.toThrow(
      /SBX_FILE_NOT_FOUND/,
    );
    await expect(client.client.readResource({ uri: `sbx://${sandbox}/100%` })).rejects.toThrow('a % is %25');
  });

  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a language that is none', 'run_code', { language: 'pyhton', code: '' }, /Did you mean python\?/],
    [
      'a limit above the ceiling',
      'run_command',
      { command: ':', limits: { memoryBytes: 2 ** 50 } },
      /limits\.memoryBytes must be at most/,
    ],
    [
      'an argument that is none',
      'run_command',
      { command: ':', timeout: 5 },
      /Unrecognized key: "timeout"\. Known are command, .*limits.*limits\.wallTimeMs/,
    ],
    [
      'a sandbox that is none',
      'run_command',
      { command: ':', sandbox: 'x' },
      /no sandbox with this id.*create_sandbox/,
    ],
    ['closing what is not there', 'close_sandbox', { sandbox: '__proto__' }, /no sandbox with this id/],
    ['a folder that is none', 'run_command', { command: ':', cwd: 'none' }, /SBX_BAD_CWD/],
    ['a variable with a zero byte', 'run_command', { command: ':', env: { A: 'b\0c' } }, /env/],
    ['a name of a variable', 'run_command', { command: ':', env: { 'A=B': 'c' } }, /env/],
    [
      'a content that is too large',
      'write_file',
      { path: 'x', content: 'y'.repeat(64 * 1024 + 1) },
      /Too big|at most/i,
    ],
  ])('%s is an error that says what to do', async (_, tool, args, sentence) => {
    await using client = await connect();
    const { isError, text } = await client.call(tool, args);
    expect(text).toMatch(sentence);
    expect(isError).toBe(true);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['write_file', { path: '../x', content: '' }, /must not have a '\.\.' part/],
    ['write_file', { path: '/etc/cron.d/x', content: '' }, /SBX_FILE_OUTSIDE/],
    ['write_file', { path: '/proc/self/environ', content: '' }, /SBX_FILE_OUTSIDE/],
    ['write_file', { path: 'a\0b', content: '' }, /SBX_/],
    ['write_file', { path: 'x', content: 'not base64!', encoding: 'base64' }, /must be base64/],
    ['read_file', { path: '/etc/passwd' }, /SBX_FILE_OUTSIDE/],
    ['read_file', { path: 'link' }, /SBX_FILE/],
    ['read_file', { path: 'fifo' }, /SBX_FILE_NOT_REGULAR/],
    ['read_file', { path: '.' }, /SBX_/],
    ['list_files', { path: 'up' }, /SBX_FILE/],
  ])('%s %j does not get out', async (tool, args, sentence) => {
    await using client = await connect();
    const sandbox = await client.sandbox();
    await client.call('run_command', { sandbox, command: 'ln -s /etc/passwd link; ln -s / up; mkfifo fifo' });
    const { isError, text } = await client.call(tool, { sandbox, ...args });
    expect(text).toMatch(sentence);
    expect(isError).toBe(true);
  });
});

test('a session has a sandbox of its own that stays, others do not see it', async () => {
  await using client = await TestClient.overHttp(target.url, 'legacy');
  await using other = await TestClient.overHttp(target.url, 'legacy');
  const { fields } = await client.call('write_file', { path: 'mine', content: 'x' });
  expect((await client.call('run_command', { command: 'ls' })).fields.stdout).toBe('mine\n');
  expect((await other.call('run_command', { command: 'ls' })).fields.stdout).toBe('');
  const stolen = await other.call('read_file', { path: 'mine', sandbox: fields.sandbox });
  expect(stolen).toMatchObject({ isError: true, text: expect.stringContaining('no sandbox with this id') });
});

test('without a session a program without a sandbox has one of its own, which is gone', async () => {
  await using client = await TestClient.overHttp(target.url, 'modern');
  const { fields } = await client.call('run_command', { command: 'touch x; ls' });
  expect(fields).toMatchObject({ stdout: 'x\n', sandbox: null, note: expect.stringContaining('gone') });
  expect((await client.call('run_command', { command: 'ls' })).fields.stdout).toBe('');
  const { isError, text } = await client.call('write_file', { path: 'x', content: '' });
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('create_sandbox') });
});
