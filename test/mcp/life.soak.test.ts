// Beginnings and ends: progress, cancellation, idle time, bounds, and what hostile programs leave.
import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { paced } from '../helpers/pace.js';
import { sleep, until } from '../helpers/wait.js';
import { ERAS, TestClient, useServer } from './server.js';

const MiB = 2 ** 20;
const IDLE_MS = 1500;
const target = useServer({
  sandboxCountPerSession: 2,
  sandboxCountMax: 3,
  memoryBytesMax: 1024 * MiB,
  sessionCountMax: 3,
  idleMs: IDLE_MS,
  sessionIdleMs: IDLE_MS,
  limits: { memoryBytes: 256 * MiB },
});
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});
const isEmpty = () => target.server.load().sandboxes === 0;
const connect = (era: (typeof ERAS)[number]) => TestClient.overHttp(target.url, era);

describe.each(ERAS)('%s', (era) => {
  test('output comes as progress while the program runs', async () => {
    await using client = await connect(era);
    const heard: (Progress & { at: number })[] = [];
    const onprogress = (progress: Progress) => heard.push({ ...progress, at: performance.now() });
    const command = 'printf "one\\303"; sleep 0.4; printf "\\244"; echo two >&2; sleep 0.4';
    const { fields } = await client.call('run_command', { command }, { onprogress });
    const end = performance.now();
    expect(fields).toMatchObject({ stdout: 'oneä', stderr: 'two\n' });
    expect(heard.map(({ message }) => message).join('')).toMatch(/^one(ätwo\n|two\nä)$/);
    expect(heard[0]).toMatchObject({ progress: 4, message: 'one' });
    expect(end - heard[0]!.at).toBeGreaterThan(500);
    expect(heard.map(({ progress }) => progress)).toEqual(
      heard.map(({ progress }) => progress).sort((a, b) => a - b),
    );
  });

  test('a flood comes in bounded messages and ends with its limit', async () => {
    await using client = await connect(era);
    const heard: number[] = [];
    const onprogress = ({ message }: Progress) => heard.push(message?.length ?? 0);
    const { fields } = await client.call('run_command', { command: 'yes' }, { onprogress });
    expect(fields.verdict).toBe('output-limit');
    expect(Math.max(...heard)).toBeLessThanOrEqual(8192);
    expect(heard.length).toBeGreaterThan(100);
  });

  test('a cancelled call kills its program within 100 ms', async () => {
    await using client = await connect(era);
    const sandbox = await client.sandbox();
    const controller = new AbortController();
    // While it lives it writes; afterwards the file grows no more.
    const command = 'while :; do date +%s%N > beat; sleep 0.01; done';
    const call = client.call('run_command', { sandbox, command }, { signal: controller.signal });
    call.catch(() => undefined);
    const beat = async () => (await client.call('read_file', { sandbox, path: 'beat' })).text.trim();
    await until(5000, 'it beats', async () => /^\d+$/.test(await beat()));
    const cancelledNs = BigInt(Date.now()) * 1_000_000n;
    controller.abort();
    await expect(call).rejects.toThrow();
    await sleep(400);
    const lastNs = BigInt((await beat()) || '0');
    expect(Number(lastNs - cancelledNs) / 1e6).toBeLessThan(paced(100));
    await sleep(100);
    expect(BigInt((await beat()) || '0')).toBe(lastNs);
  });

  test.each([
    ['a fork bomb', ':(){ :|:& };:', { wallTimeMs: 500 }],
    ['ten gigabytes', 'head -c 10000000000 /dev/zero > big', {}],
    ['memory', 'tail /dev/zero', {}],
    ['a network', 'python3 -c "import socket; socket.create_connection((\'1.1.1.1\', 80), 2)"', {}],
  ])('%s leaves the session alive', async (_, command, limits) => {
    await using client = await connect(era);
    const sandbox = await client.sandbox();
    const { isError, fields } = await client.call('run_command', { sandbox, command, limits });
    expect(isError).toBe(false);
    expect(fields.verdict).not.toBe('');
    await client.call('run_command', { sandbox, command: 'rm -f big' });
    expect((await client.call('run_command', { sandbox, command: 'echo alive' })).fields.stdout).toBe(
      'alive\n',
    );
    await client.call('close_sandbox', { sandbox });
    await until(5000, 'it is gone', isEmpty);
  });

  test('an unused sandbox is closed, a used one is not', async () => {
    await using client = await connect(era);
    const sandbox = await client.sandbox();
    const command = `sleep ${(IDLE_MS * 1.5) / 1000}; echo done`;
    expect((await client.call('run_command', { sandbox, command })).fields.stdout).toBe('done\n');
    await until(paced(4 * IDLE_MS), 'it is closed', isEmpty);
    const { text } = await client.call('run_command', { sandbox, command: ':' });
    expect(text).toMatch(/closed after 1\.5 s without use/);
  });
});

test('a session is told that its sandbox was closed', async () => {
  await using client = await connect('legacy');
  await client.call('write_file', { path: 'x', content: '' });
  const [sandbox] = (await client.client.listResources()).resources.map(({ uri }) => uri.split('/')[2]);
  await client.call('close_sandbox', { sandbox });
  const { fields } = await client.call('run_command', { command: 'ls' });
  expect(fields).toMatchObject({ stdout: '', note: expect.stringContaining('this one is new') });
  expect((await client.call('run_command', { command: 'ls' })).fields.note).toBeNull();
});

test('sandboxes are bounded in number by session and server, and in memory', async () => {
  await using one = await connect('legacy');
  await using two = await connect('legacy');
  await one.sandbox();
  await one.sandbox();
  const third = await one.call('create_sandbox');
  expect(third).toMatchObject({
    isError: true,
    text: expect.stringContaining('This session has 2 sandboxes open'),
  });
  const big = await two.call('create_sandbox', { limits: { memoryBytes: 513 * MiB } });
  expect(big).toMatchObject({
    isError: true,
    text: expect.stringMatching(/513 MiB does not fit: 512 MiB are free/),
  });
  await two.sandbox({ memoryBytes: 512 * MiB });
  const fourth = await two.call('create_sandbox', { limits: { memoryBytes: MiB } });
  expect(fourth).toMatchObject({ isError: true, text: expect.stringContaining('has 3 sandboxes open') });
});

test('the end of a session kills what runs in it', async () => {
  const client = await connect('legacy');
  const call = client.call('run_command', { command: 'sleep 60' });
  call.catch(() => undefined);
  await until(5000, 'it runs', () => target.server.load().sandboxes === 1);
  await client[Symbol.asyncDispose]();
  await until(5000, 'it is gone', isEmpty);
  expect(target.server.load().sessions).toBe(0);
});

test('a process that goes on keeps no sandbox', async () => {
  await using client = await connect('legacy');
  await client.call('start_process', { command: 'while :; do echo on; sleep 0.1; done' });
  await until(paced(4 * IDLE_MS), 'it is closed', isEmpty);
  const { text } = await client.call('read_output', { process: '1' });
  expect(text).toMatch(/^There is no process "1" in this sandbox/);
});

test('sessions are bounded; one that is not used ends, one that holds a stream does not', async () => {
  await using client = await connect('legacy');
  const open = () => fetch(target.url, { method: 'POST', headers: HEADERS, body: INITIALIZE });
  for (let n = 0; n < 2; n += 1) await (await open()).text();
  expect((await open()).status).toBe(503);
  await expect(connect('legacy')).rejects.toThrow(/3 sessions, its maximum/);
  await until(paced(5 * IDLE_MS), 'two end', () => target.server.load().sessions === 1);
  await sleep(IDLE_MS);
  expect((await client.call('run_command', { command: 'echo here' })).fields.stdout).toBe('here\n');
});
