// The command.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FifoClient } from '@sbx/fifo-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, sbx, startSbx } from '../cli/sbx.js';
import { shell } from '../helpers/fifo.js';
import { sleep, until } from '../helpers/wait.js';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sbx-fifo-test-'));
});
afterAll(() => rmSync(home, { recursive: true }));

const told = (dir: string, what: string, isIt: (status: string) => boolean) =>
  until(10_000, what, () =>
    new FifoClient(dir).wait().then(
      ({ status }) => isIt(status),
      () => false,
    ),
  );
const ready = (dir: string) => told(dir, 'readiness', (status) => status !== 'process starting');

test('with its own stdin and stdout', async () => {
  const dir = join(home, 'own');
  const child = startSbx(['fifo', 'run', '--dir', dir, '--', 'cat']);
  const end = ended(child);
  child.stdin.end('hello\n');
  await told(dir, 'the end', (status) => status === 'process terminated normally');
  expect((await new FifoClient(dir).terminate()).status).toBe('process terminated normally');
  expect(await end).toEqual({ stdout: 'hello\n', stderr: `sbx: ready: ${dir}\n`, code: 0, signal: null });
  expect(existsSync(dir)).toBe(false);
});

test('with pipes, as JSON, with limits', async () => {
  const dir = join(home, 'pipes');
  const args = [
    'fifo',
    'run',
    '-d',
    dir,
    '--pipes',
    '--json',
    '--wall',
    '2s',
    '--',
    'sh',
    '-c',
    'read x; echo $x; sleep 9',
  ];
  const child = startSbx(args);
  const end = ended(child);
  await ready(dir);
  expect(await shell(dir, 'echo hi > downward; cat upward')).toBe('hi\n');
  expect((await new FifoClient(dir).terminate()).status).toBe(
    'process interrupted by signal 9; wall time limit exceeded',
  );
  const { stdout, code } = await end;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, command: 'fifo', dir, upward: join(dir, 'upward') });
});

test('a source that does not compile is answered for', async () => {
  const dir = join(home, 'bad');
  const source = join(home, 'bad.c');
  await shell(home, `echo nonsense > ${source}`);
  const end = ended(startSbx(['fifo', 'run', '--dir', dir, source]));
  await ready(dir);
  const { status } = await new FifoClient(dir).terminate();
  expect(status).toBe('process not started; compilation failed');
  expect((await end).stderr).toContain('error:');
});

test('interrupted, it takes everything along', async () => {
  const dir = join(home, 'interrupted');
  const child = startSbx(['fifo', 'run', '--dir', dir, '--', 'sleep', '100']);
  const end = ended(child);
  await ready(dir);
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 143 });
  expect(existsSync(dir)).toBe(false);
});

test('ask prints the three lines, and records hold every request and reply', async () => {
  const dir = join(home, 'asked');
  const record = join(home, 'record.jsonl');
  const end = ended(startSbx(['fifo', 'run', '--dir', dir, '--record', record, '--', 'sleep', '100']));
  await ready(dir);
  expect(await sbx(['fifo', 'ask', dir])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\n\d+\nprocess running normally\n$/),
  });
  const last = await sbx(['fifo', 'ask', dir, '0', '--timeout', '5s', '--json']);
  expect(JSON.parse(last.stdout)).toMatchObject({ command: 'fifo', memoryBytes: 0, state: 'forced' });
  expect(await end).toMatchObject({ code: 0 });
  const events = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(0)).toMatchObject({ kind: 'ready', dir });
  expect(events.slice(-5)).toMatchObject([
    { kind: 'request', request: 'go-on' },
    { kind: 'reply', reading: { status: 'process running normally' } },
    { kind: 'request', request: 'last-call' },
    { kind: 'reply', reading: { memoryBytes: 0 } },
    { kind: 'end', reason: 'last-call', delivered: true },
  ]);
});

test('ask says what is wrong, with an exit code of its own', async () => {
  expect(await sbx(['fifo', 'ask', join(home, 'nothing')])).toMatchObject({ code: 66, stdout: '' });
  expect(await sbx(['fifo', 'ask', home, '2'])).toMatchObject({ code: 64 });
  expect(await sbx(['fifo', 'ask', home, '1', '--timeout', '5'])).toMatchObject({ code: 64 });
  await shell(home, 'mkdir dead; mkfifo dead/wait dead/status');
  expect(await sbx(['fifo', 'ask', join(home, 'dead')])).toMatchObject({ code: 69 });
  // Somebody reads requests and never answers.
  const deaf = shell(home, 'mkdir deaf; mkfifo deaf/wait deaf/status; exec 3<>deaf/wait; sleep 2');
  await until(5000, 'a manager that never answers', () => existsSync(join(home, 'deaf', 'status')));
  await sleep(100);
  expect(await sbx(['fifo', 'ask', join(home, 'deaf'), '--timeout', '200ms'])).toMatchObject({ code: 124 });
  await deaf;
});

test('a directory whose command was killed is used again', { timeout: 20_000 }, async () => {
  const dir = join(home, 'again');
  const first = startSbx(['fifo', 'run', '--dir', dir, '--', 'sleep', '100']);
  await ready(dir);
  first.kill('SIGKILL');
  await ended(first);
  const end = ended(startSbx(['fifo', 'run', '--dir', dir, '--', 'sleep', '100']));
  await ready(dir);
  await new FifoClient(dir).terminate();
  expect(await end).toMatchObject({ code: 0 });
});

test('wrong use', async () => {
  expect(await sbx(['fifo', 'run', '--dir', tmpdir(), '--', 'true'])).toMatchObject({
    code: 74,
    stderr: expect.stringContaining('is not an empty directory of this user'),
  });
  expect(await sbx(['fifo', 'run', '--group', 'x', '--', 'true'])).toMatchObject({ code: 64 });
  expect(await sbx(['fifo', 'run'])).toMatchObject({ code: 64 });
  const stderr = expect.stringContaining('error: --grace must be an integer from 0 to');
  expect(await sbx(['fifo', 'run', '--grace', '9999999h', '--', 'true'])).toMatchObject({ code: 64, stderr });
});
