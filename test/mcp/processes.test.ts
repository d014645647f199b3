// Processes that go on between calls: servers and interpreters, and the ports that lead to them.
import { createMcpServer } from '@sbx/mcp';
import { expect, test } from 'vitest';
import { sleep, until } from '../helpers/wait.js';
import { ERAS, TestClient, type Told, useServer } from './server.js';

const target = useServer({
  shownBytesMax: 4096,
  sandboxCountMax: 64,
  memoryBytesMax: 2 ** 40,
  exposePorts: true,
});

const connect = (era: (typeof ERAS)[number] = 'legacy') => TestClient.overHttp(target.url, era);

interface End extends Told {
  /** What it wrote to stdout, as far as it was kept. */
  all: string;
  /** Of stdout, not kept. */
  cutBytes: number;
}

/** Reads until the process has ended. */
async function readToEnd(client: TestClient, args: Record<string, unknown>): Promise<End> {
  let all = '';
  let cutBytes = 0;
  for (;;) {
    const told = await client.call('read_output', { waitMs: 10_000, ...args });
    all += told.fields.stdout;
    cutBytes += (told.fields.cut as { stdoutBytes: number }).stdoutBytes;
    if (told.fields.isRunning === false) return { ...told, all, cutBytes };
  }
}

test.each(ERAS)('%s: an interpreter is asked, answers, and ends with its input', async (era) => {
  await using client = await connect(era);
  const sandbox = await client.sandbox();
  const started = await client.call('start_process', {
    sandbox,
    command: 'exec python3 -iq 2>&1',
    env: { PS1: '' },
  });
  expect(started).toMatchObject({ isError: false, fields: { sandbox, process: '1', note: null } });
  const input = { sandbox, process: '1' };
  expect((await client.call('write_input', { ...input, text: 'x = 6\n' })).fields.isTaken).toBe(true);
  await client.call('write_input', { ...input, text: 'print("is", x * 7)\n', end: true });
  const { fields, text, all } = await readToEnd(client, input);
  expect(all).toContain('is 42');
  expect(fields).toMatchObject({ isRunning: false, verdict: 'ok', exitCode: 0, exitSignal: null });
  expect(fields.cpuTimeMs).toBeGreaterThan(0);
  expect(text).toMatch(/^ok, exit code 0 · cpu /);
  expect((await client.call('write_input', { ...input, text: 'y' })).text).toMatch(/SBX_STREAM_ENDED/);
});

test('a server goes on between calls, beside other programs and their files, until it is stopped', async () => {
  await using client = await connect();
  await client.call('write_file', { path: 'index.html', content: 'hello from inside' });
  const { fields } = await client.call('start_process', {
    command: 'python3 -u -m http.server --bind 127.0.0.1 8000 & wait',
  });
  const { process } = fields;
  const exposed = await client.call('expose_port', { port: 8000 });
  expect(exposed).toMatchObject({
    isError: false,
    fields: { port: 8000, url: expect.stringMatching(/^http:/) },
  });
  expect((await client.call('expose_port', { port: 8000 })).fields).toEqual(exposed.fields);
  const url = String(exposed.fields.url);
  expect(await (await fetch(url)).text()).toBe('hello from inside');
  const curl = `python3 -c 'from urllib.request import urlopen; print(urlopen("http://127.0.0.1:8000").read())'`;
  expect((await client.call('run_command', { command: curl })).fields.stdout).toContain('hello');
  const log = await client.call('read_output', { process });
  expect(log.fields).toMatchObject({ isRunning: true, verdict: null, exitCode: null });
  expect(`${log.fields.stdout}${log.fields.stderr}`).toContain('GET /');
  expect(log.text).toMatch(/^running · cpu /);
  const stopped = await client.call('stop_process', { process });
  expect(stopped.fields).toMatchObject({ isRunning: false, verdict: 'killed', exitSignal: 'SIGKILL' });
  const left = await client.call('run_command', { command: 'cat /proc/[0-9]*/comm' });
  expect(left.fields.stdout).not.toContain('python3');
  await expect(fetch(url)).rejects.toThrow();
});

test('reading waits for output, and not where there is some', async () => {
  await using client = await connect();
  const { process } = (await client.call('start_process', { command: 'read a; echo "got $a"; read b' }))
    .fields;
  const nothing = await client.call('read_output', { process, waitMs: 0 });
  expect(nothing.fields).toMatchObject({ isRunning: true, stdout: '', stderr: '' });
  const reading = client.call('read_output', { process, waitMs: 30_000 });
  await client.call('write_input', { process, text: 'it\n' });
  expect((await reading).fields).toMatchObject({ isRunning: true, stdout: 'got it\n' });
  const end = client.call('read_output', { process, waitMs: 30_000 });
  await client.call('stop_process', { process });
  expect((await end).fields).toMatchObject({ isRunning: false });
});

test('of output that nobody reads the last is kept, and the process goes on', async () => {
  await using client = await connect();
  const command = 'seq 20000; echo end; touch written';
  const { process } = (await client.call('start_process', { command })).fields;
  const isWritten = async () => !(await client.call('read_file', { path: 'written' })).isError;
  await until(30_000, 'all is written', isWritten);
  const { all, cutBytes } = await readToEnd(client, { process });
  expect(cutBytes).toBeGreaterThan(10_000);
  expect(all).toMatch(/^\[… \d+ bytes left out …\]\n[\s\S]*\n20000\nend\n$/);
  const shown = all.replace(/\[… \d+ bytes left out …\]\n/g, '');
  expect(cutBytes + shown.length).toBe(108_894 + 'end\n'.length);
});

test.each([
  ['large pieces', 'yes'],
  ['single bytes', 'exec python3 -c "import os\nwhile True: os.write(1, b\'x\')"'],
])('a flood of %s that nobody reads costs the server little, and is stopped at once', async (_, command) => {
  await using client = await connect();
  const { process: id } = (await client.call('start_process', { command })).fields;
  await client.call('read_output', { process: id });
  const before = process.cpuUsage();
  await sleep(2000);
  const { user, system } = process.cpuUsage(before);
  const { fields } = await client.call('stop_process', { process: id }, { timeout: 10_000 });
  expect(fields).toMatchObject({ isRunning: false, verdict: 'killed' });
  expect((fields.cut as { stdoutBytes: number }).stdoutBytes).toBeGreaterThan(100_000);
  expect((user + system) / 1000).toBeLessThan(800);
});

test('input that is not read waits, and more of it is refused', async () => {
  await using client = await connect();
  const { process } = (await client.call('start_process', { command: 'sleep 60' })).fields;
  const text = 'x'.repeat(65_536);
  expect((await client.call('write_input', { process, text })).fields.isTaken).toBe(true); // a pipe full
  expect((await client.call('write_input', { process, text })).fields.isTaken).toBe(false);
  const more = await client.call('write_input', { process, text: 'y' });
  expect(more).toMatchObject({
    isError: true,
    text: expect.stringContaining('has not read what it was given'),
  });
});

test('limits end a process, and the server says how far they go', async () => {
  await using client = await connect();
  const start = (command: string, limits: Record<string, number>) =>
    client.call('start_process', { command, limits });
  await start('while :; do :; done', { cpuTimeMs: 100 });
  expect((await readToEnd(client, { process: '1' })).fields.verdict).toBe('cpu-limit');
  await start('sleep 60', { wallTimeMs: 100 });
  expect((await readToEnd(client, { process: '2' })).fields.verdict).toBe('wall-limit');
  expect(await start(':', { wallTimeMs: 3_600_001 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('limits.wallTimeMs must be at most 3600000, the ceiling'),
  });
  expect((await start(':', { outputBytes: 1 })).text).toMatch(/Unrecognized key: "outputBytes"/);
});

test('so many at once, those that have ended make room, and a name that is none is told the others', async () => {
  await using client = await connect();
  for (let count = 0; count < 8; count += 1)
    await client.call('start_process', { command: `sleep ${60 + count}` });
  const ninth = await client.call('start_process', { command: 'echo ninth' });
  expect(ninth).toMatchObject({
    isError: true,
    text: expect.stringContaining('maximum. Stop one with stop_process'),
  });
  await client.call('stop_process', { process: '3' });
  expect((await client.call('start_process', { command: 'echo ninth' })).fields.process).toBe('9');
  const gone = await client.call('read_output', { process: '3' });
  expect(gone.isError).toBe(true);
  expect(gone.text).toMatch(/no process "3" in this sandbox\. There are:\n1 \(running\): sleep 60\n2 \(/);
});

test('an abandoned reading ends nothing, and the end of a sandbox ends all', async () => {
  await using client = await connect();
  const sandbox = await client.sandbox();
  await client.call('start_process', { sandbox, command: 'read a; echo "got $a"; sleep 60' });
  const given = new AbortController();
  const reading = client.call(
    'read_output',
    { sandbox, process: '1', waitMs: 30_000 },
    { signal: given.signal },
  );
  setTimeout(() => given.abort(), 100);
  await expect(reading).rejects.toThrow();
  await client.call('write_input', { sandbox, process: '1', text: 'b\n' });
  expect((await client.call('read_output', { sandbox, process: '1' })).fields.stdout).toBe('got b\n');
  const waiting = client.call('read_output', { sandbox, process: '1', waitMs: 30_000 });
  await client.call('close_sandbox', { sandbox });
  expect((await waiting).fields).toMatchObject({ isRunning: false, verdict: 'killed' });
});

test('without a session a sandbox must be named', async () => {
  await using client = await connect('modern');
  const { isError, text } = await client.call('start_process', { command: ':' });
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('create_sandbox') });
});

test('ports are exposed only where the operator says so', async () => {
  await using server = await createMcpServer({ port: 0, engine: target.server.engine, network: 'loopback' });
  const [url] = (await server.listen()).urls as [string];
  await using client = await TestClient.overHttp(url, 'legacy');
  const { tools } = await client.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('expose_port');
  await expect(createMcpServer({ exposePorts: true, network: 'none' })).rejects.toThrow(
    "options.exposePorts must not be set where network is 'none'",
  );
});
