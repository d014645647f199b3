// What clients can make the server hold, all together: answers that nobody reads, and bodies that never end.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { callOf, initialize, openSession, post, send } from './raw.js';
import { TestClient, useServer } from './server.js';

const MiB = 2 ** 20;
const narrow = useServer({ answerTotalBytes: 32 * MiB, receiveTotalBytes: 8 * MiB });

/** Each byte becomes twelve: six in the text, six in the structured result. */
const FILE_BYTES = MiB / 4;
const ANSWER_BYTES = 12 * FILE_BYTES;
const CALL_COUNT = 40;

async function sessionWithFile(): Promise<Record<string, string>> {
  const headers = await openSession(narrow.url);
  const command = `head -c ${FILE_BYTES} /dev/zero | tr '\\0' '\\1' > big`;
  await (await post(narrow.url, callOf(2, 'run_command', { command }), headers)).text();
  return headers;
}

test('answers that nobody reads take no more memory than they may, keep nobody waiting, and go on', async () => {
  const headers = await sessionWithFile();
  const readsFrom = (first: number) =>
    Array.from({ length: CALL_COUNT }, (_, at) =>
      callOf(first + at, 'read_file', { path: 'big', maxBytes: FILE_BYTES }),
    );
  const before = process.memoryUsage.rss();
  const sockets = Array.from({ length: 6 }, (_, index) =>
    send(narrow.url, JSON.stringify(readsFrom(1000 * (index + 1))), headers),
  );
  let grown = 0;
  for (let look = 0; look < 40; look += 1) {
    await sleep(100);
    grown = Math.max(grown, process.memoryUsage.rss() - before);
  }
  expect(grown).toBeLessThan(300 * MiB); // of 720
  await using other = await TestClient.overHttp(narrow.url, 'legacy');
  expect(await other.call('run_command', { command: 'true' }, { timeout: 5000 })).toMatchObject({
    isError: false,
  });
  const [read, ...others] = sockets;
  for (const socket of others) socket.destroy();
  let bytes = 0;
  read!.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await until(20_000, 'all is read', () => bytes > CALL_COUNT * ANSWER_BYTES);
}, 60_000);

test('a body of very many values is refused before they are made', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping', params: Array(50_000).fill([]) };
  const response = await post(narrow.url, message);
  expect([response.status, await response.text()]).toEqual([
    413,
    'a message may have 50000 values of JSON\n',
  ]);
});

test('bodies that never end are refused when they are too many, and leave their room', async () => {
  const halves = Array.from({ length: 12 }, () => {
    const half = { answer: '', socket: send(narrow.url, ' '.repeat(MiB), {}, 3 * MiB) };
    half.socket.on('data', (chunk) => (half.answer += chunk)).resume();
    return half;
  });
  const refused = () => halves.filter(({ answer }) => answer !== '');
  await until(5000, 'some are refused', () => refused().length >= 4);
  for (const { answer } of refused()) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*too many requests/);
  }
  expect(refused().length).toBeLessThan(12);
  for (const { socket } of halves) socket.destroy();
  await until(5000, 'there is room again', async () => (await initialize(narrow.url)).ok);
  await using client = await TestClient.overHttp(narrow.url, 'legacy');
  for (let count = 0; count < 5; count += 1) {
    const content = 'x'.repeat(MiB);
    expect(await client.call('write_file', { path: 'a', content })).toMatchObject({ isError: false });
  }
});

/** Resolves with the status of the answer, whose body may go on for long. */
async function statusOf(socket: Socket): Promise<number> {
  let head = '';
  socket.on('data', (chunk) => (head += chunk)).resume();
  await until(5000, 'it is answered', () => head.includes('\r\n'));
  return Number(head.split(' ')[1]);
}

test('calls that wait count with what they were given, also when their connections have gone', async () => {
  const headers = await openSession(narrow.url);
  const limits = { outputBytes: 8 * MiB, wallTimeMs: 60_000 }; // all the room of its session
  const sleeper = callOf(2, 'run_command', { command: 'sleep 60', limits });
  expect(await statusOf(send(narrow.url, JSON.stringify(sleeper), headers))).toBe(200);
  const content = 'x'.repeat(MiB);
  const statuses: number[] = [];
  for (let id = 10; id < 20; id += 1) {
    const call = JSON.stringify(callOf(id, 'write_file', { path: 'a', content }));
    const socket = send(narrow.url, call, headers);
    statuses.push(await statusOf(socket));
    socket.resetAndDestroy();
  }
  expect(statuses).toEqual([...Array(7).fill(200), 503, 503, 503]);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  await post(narrow.url, cancel, headers);
  const write = callOf(30, 'write_file', { path: 'b', content });
  await until(5000, 'there is room again', async () => (await post(narrow.url, write, headers)).ok);
});
