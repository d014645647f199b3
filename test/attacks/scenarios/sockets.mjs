// Group F over WebSockets: floods in both directions, broken frames, cancellations.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../helpers/proc.mjs';
import { cmdOf } from '../harness/gojudge-target.mjs';
import { becomes, openSocket, rawConnection } from '../harness/wire.mjs';
import { stillServes } from './requests.mjs';

const MiB = 2 ** 20;
const sleeper = (ms) => cmdOf({ argv: ['/t/sleep-ms', String(ms)], limits: { wallMs: 20_000 } });
const residentMiB = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const running = (pid, name) => descendants(pid).filter((row) => row.name === name).length;

export async function requestIds({ target }) {
  const problems = [];
  const { socket, next, send } = await openSocket(target.url, '/ws');
  const answer = async () => JSON.parse((await next()) ?? 'null');
  const answerFor = async (id) => {
    for (let one = await answer(); one !== null; one = await answer()) if (one.requestId === id) return one;
    return null;
  };
  const expect = (what, holds) => {
    if (!holds) problems.push(what);
  };
  const request = (requestId, ms) => send(JSON.stringify({ requestId, cmd: [sleeper(ms)] }));
  request('a', 5000);
  request('a', 10);
  const twice = await answer();
  expect(
    `same id twice: ${JSON.stringify(twice)}`,
    twice?.results === null && /duplicated request id/.test(twice.error),
  );
  send(JSON.stringify({ cancelRequestId: 'nobody' }));
  await becomes(2000, () => running(target.pid, 'sleep-ms') > 0);
  send(JSON.stringify({ cancelRequestId: 'a' }));
  send(JSON.stringify({ cancelRequestId: 'a' }));
  const cancelled = await answer();
  expect(
    `cancel: ${JSON.stringify(cancelled)}`,
    cancelled?.requestId === 'a' && cancelled.results.length === 1,
  );
  expect('the cancelled program lives', await becomes(300, () => running(target.pid, 'sleep-ms') === 0));
  send(JSON.stringify({ requestId: 'both', cancelRequestId: 'nobody', cmd: [sleeper(10)] }));
  expect('cancel and run in one message ran', (await next(300)) === null);
  for (let index = 0; index < 8; index += 1) request(`q${index}`, 1000);
  send(JSON.stringify({ cancelRequestId: 'q7' }));
  const early = await answerFor('q7');
  expect(`cancel before start: ${JSON.stringify(early)}`, early?.results.length === 0);
  request('', 10);
  const empty = await answerFor('');
  expect(`empty id: ${JSON.stringify(empty)}`, empty?.error === 'empty request id');
  socket.terminate();
  expect(
    'programs outlive their connection',
    await becomes(500, () => running(target.pid, 'sleep-ms') === 0),
  );
  return [...problems, ...(await stillServes(target))];
}

const frame = (type, payload) => Buffer.concat([Buffer.from([type]), Buffer.from(payload)]);
const streamRequest = (argv, files, limits) =>
  frame(1, JSON.stringify({ cmd: [{ ...cmdOf({ argv, limits }), files }] }));
const OUT = [{ content: '' }, { streamOut: true }, { name: 'stderr', max: 1000, pipe: true }];
const IN = [{ streamIn: true }, { streamOut: true }, { name: 'stderr', max: 1000, pipe: true }];
const LONG = { cpuMs: 60_000, wallMs: 60_000 };
const BUFFER_MIB = 4;

/** What server and its own loop keep for one connection, after some time of flooding. */
async function growth(pid, flood) {
  await sleep(200);
  const before = residentMiB(pid);
  await flood();
  return residentMiB(pid) - before;
}

/**
 * Node's heap grows with what passes through it, too: the bound is the catalogue's, and a young generation.
 */
const GROWTH_MIB = BUFFER_MIB + 16;

/** From the last byte that a client took to its end: docs/protocols/gojudge.md. */
const CUT_MS = 30_000;

export async function neverRead({ target }) {
  const problems = [];
  const { socket, closed, send } = await openSocket(target.url, '/stream');
  socket.pause();
  const grown = await growth(target.pid, async () => {
    send(streamRequest(['/bin/cat', '/dev/zero'], OUT, LONG));
    await sleep(2500);
  });
  if (grown > GROWTH_MIB) problems.push(`${grown.toFixed(1)} MiB more in the server`);
  // Reading the socket again would tell it of its end; the program's death tells as well.
  const cut = await Promise.race([
    closed.then(() => true),
    becomes(CUT_MS + 5000, () => running(target.pid, 'cat') === 0),
  ]);
  if (!cut) problems.push('a client that never reads is not cut');
  socket.terminate();
  if (!(await becomes(500, () => running(target.pid, 'cat') === 0))) problems.push('the program lives on');
  return [...problems, ...(await stillServes(target))];
}

export async function floodInput({ target }) {
  const problems = [];
  const block = frame(3, Buffer.concat([Buffer.from([0]), randomBytes(65_536)]));
  const few = await openSocket(target.url, '/stream');
  few.send(streamRequest(['/t/sleep-ms', '60000'], IN, LONG));
  await becomes(2000, () => running(target.pid, 'sleep-ms') === 1);
  for (let index = 0; index < 8; index += 1) few.send(block);
  await sleep(100);
  few.send(frame(4, ''));
  const cancelled = await few.next(1000);
  if (cancelled?.[0] !== 1) problems.push('cancel behind unread input does not work');
  few.socket.terminate();
  const { socket, send } = await openSocket(target.url, '/stream');
  send(streamRequest(['/t/sleep-ms', '60000'], IN, LONG));
  await becomes(2000, () => running(target.pid, 'sleep-ms') === 1);
  let sent = 0;
  const grown = await growth(target.pid, async () => {
    const end = performance.now() + 3000;
    while (performance.now() < end && sent < 1024 * MiB) {
      if (socket.bufferedAmount < MiB) sent += send(block) ?? block.length;
      else await sleep(1);
    }
  });
  if (grown > GROWTH_MIB) problems.push(`${grown.toFixed(1)} MiB more in the server`);
  if (sent > 64 * MiB) problems.push(`${sent / MiB} MiB were taken without back-pressure`);
  socket.terminate();
  if (!(await becomes(500, () => running(target.pid, 'sleep-ms') === 0)))
    problems.push('the program lives on');
  return [...problems, ...(await stillServes(target))];
}

/** Input for a program that closed its stdin, or has ended: the answer comes all the same. */
export async function deafPrograms({ target }) {
  const problems = [];
  const block = frame(3, Buffer.concat([Buffer.from([0]), Buffer.alloc(100_000, 'x')]));
  for (const argv of [['/bin/true'], ['/bin/sh', '-c', 'exec <&-; sleep 0.3'], ['/t/close-all', '200']]) {
    const { socket, next, send } = await openSocket(target.url, '/stream');
    send(streamRequest(argv, IN, { wallMs: 2000 }));
    for (let index = 0; index < 20; index += 1) {
      send(block);
      await sleep(10);
    }
    let answer = await next();
    while (answer !== null && answer[0] === 2) answer = await next();
    if (answer?.[0] !== 1) problems.push(`${argv.join(' ')}: no final answer`);
    socket.terminate();
  }
  return [...problems, ...(await stillServes(target))];
}

const UPGRADE = (path) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;
const masked = (first, length, rest = '') =>
  Buffer.concat([Buffer.from([first, 0x80 | length, 0, 0, 0, 0]), Buffer.from(rest, 'latin1')]);
const long = (first, bytes) => Buffer.concat([Buffer.from([first, 0xff, ...bytes, 0, 0, 0, 0])]);

const FRAMES = {
  'a length of 2^63': long(0x82, [0x80, 0, 0, 0, 0, 0, 0, 0]),
  'a length of 2^53': long(0x82, [0, 0x20, 0, 0, 0, 0, 0, 0]),
  'a length of 8 GiB': long(0x82, [0, 0, 0, 2, 0, 0, 0, 0]),
  'reserved bits': masked(0xf2, 1, 'x'),
  'not masked': Buffer.from([0x82, 1, 0x78]),
  'a large control frame': Buffer.concat([Buffer.from([0x89, 0xfe, 0, 200, 0, 0, 0, 0]), Buffer.alloc(200)]),
  'a control frame in pieces': masked(0x09, 1, 'x'),
  'an unknown opcode': masked(0x83, 1, 'x'),
  'a continuation of nothing': masked(0x80, 1, 'x'),
  'close with a bad code': masked(0x88, 2, '\x03\xed'),
  'close with one byte': masked(0x88, 1, 'x'),
  'text that is not UTF-8': masked(0x81, 2, '\xff\xfe'),
};

async function sendFrame(url, path, bytes) {
  const connection = rawConnection(url);
  await connection.opened;
  connection.write(UPGRADE(path));
  await becomes(2000, () => connection.received().includes('\r\n\r\n'));
  connection.write(bytes);
  const closed = await Promise.race([connection.closed.then(() => true), sleep(3000, false, { ref: false })]);
  connection.reset();
  return closed;
}

export async function brokenFrames({ target }) {
  const problems = [];
  const before = residentMiB(target.pid);
  for (const path of ['/ws', '/stream'])
    for (const [name, bytes] of Object.entries(FRAMES))
      if (!(await sendFrame(target.url, path, bytes))) problems.push(`${path}, ${name}: not closed`);
  const afterClose = Buffer.concat([masked(0x88, 2, '\x03\xe8'), masked(0x81, 2, '{}')]);
  if (!(await sendFrame(target.url, '/ws', afterClose))) problems.push('data after close: not closed');
  const grown = residentMiB(target.pid) - before;
  if (grown > GROWTH_MIB) problems.push(`${grown.toFixed(1)} MiB more in the server`);
  return [...problems, ...(await stillServes(target))];
}

/** 60 s without a pong, and a little more. */
const SILENCE_MS = 65_000;

export async function pings({ target }) {
  const problems = [];
  const flood = await openSocket(target.url, '/ws');
  for (let index = 0; index < 50_000; index += 1) flood.socket.ping('x'.repeat(100));
  problems.push(...(await stillServes(target)));
  flood.socket.terminate();
  const silent = rawConnection(target.url);
  await silent.opened;
  silent.write(UPGRADE('/ws'));
  const cut = await Promise.race([silent.closed.then(() => true), sleep(SILENCE_MS, false, { ref: false })]);
  if (!cut) problems.push('a client that never answers pings is not cut');
  silent.reset();
  return problems;
}

export async function idleSockets({ target }) {
  const connections = [];
  for (let index = 0; index < 5000; index += 1) {
    const connection = rawConnection(target.url);
    connections.push(connection);
    if (index % 200 === 199) await connection.opened;
  }
  await sleep(300);
  const problems = await stillServes(target);
  const refused = connections.filter(({ socket }) => socket.destroyed).length;
  if (refused > 0) problems.push(`${refused} connections could not be opened`);
  for (const connection of connections) connection.reset();
  return problems;
}
