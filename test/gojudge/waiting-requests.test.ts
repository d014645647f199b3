// Large requests that wait for a worker: together they hold no more than was allowed, and all are answered.
import { once } from 'node:events';
import { connect } from 'node:net';
import { inputFrame, parseServerFrame, requestFrame } from '@sbx/gojudge-client/wire';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { sleep, until } from '../helpers/wait.js';
import { cmd, post, useServer } from './server.js';

const MiB = 2 ** 20;
/** Of 3 MiB each, three have room. */
const server = useServer({ requestTotalBytes: 10 * MiB, parallelism: 1 });
const COUNT = 12;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const large = (args: string[], mib = 3) => ({
  cmd: [cmd(args, { copyIn: { input: { content: 'x'.repeat(mib * MiB) } } })],
});
const SLEEP = ['/bin/sleep', '0.2'];

/** The most requests that were there at once, while `work` went on. */
async function mostDuring(work: Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    const { active, waiting } = server.server.load();
    most = Math.max(most, active + waiting);
  }, 5);
  await work.finally(() => clearInterval(timer));
  return most;
}

async function open(path: string): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`);
  ends.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

/** Sends all its requests at once. Resolves with the answers. */
async function askBySocket(count: number, request: object): Promise<object[]> {
  const socket = await open('/ws');
  const answers: object[] = [];
  socket.on('message', (data) => answers.push(JSON.parse(String(data))));
  for (let id = 1; id <= count; id += 1) socket.send(JSON.stringify({ requestId: `${id}`, ...request }));
  await until(20_000, `${count} answers`, () => answers.length === count);
  return answers;
}

async function statusOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const [{ status }] = (await response.json()) as [{ status: string }];
  return `${response.status} ${status}`;
}

describe('all are answered, those that come in time', () => {
  test('of HTTP; a small one is not kept out by them', async () => {
    const body = JSON.stringify(large(SLEEP));
    const all = Promise.all(Array.from({ length: COUNT }, () => statusOf(post(server.url, body))));
    await until(10_000, 'some wait', () => server.server.load().waiting === 2);
    const small = statusOf(post(server.url, { cmd: [cmd(['/bin/true'])] }));
    await until(10_000, 'the small one waits, too', () => server.server.load().waiting === 3);
    expect(await mostDuring(all)).toBeLessThanOrEqual(4);
    expect(await all).toEqual(Array(COUNT).fill('200 Accepted'));
    expect(await small).toBe('200 Accepted');
  });

  test('without a size', async () => {
    const body = JSON.stringify(large(SLEEP));
    const stream = () => new Response(body).body!;
    const one = () => post(server.url, '', { body: stream(), duplex: 'half' } as RequestInit);
    expect(await Promise.all([one(), one(), one()].map(statusOf))).toEqual(Array(3).fill('200 Accepted'));
  });

  test('of one WebSocket', async () => {
    const asking = askBySocket(COUNT, large(SLEEP));
    // What is over the bound may be one message, and those that came with its end.
    expect(await mostDuring(asking)).toBeLessThanOrEqual(5);
    for (const answer of await asking) expect(answer).toMatchObject({ results: [{ status: 'Accepted' }] });
  });

  test('of WebSockets and of HTTP beside each other', async () => {
    const body = JSON.stringify(large(SLEEP));
    const [sockets, posts] = await Promise.all([
      Promise.all([askBySocket(4, large(SLEEP)), askBySocket(4, large(SLEEP))]),
      Promise.all(Array.from({ length: 4 }, () => statusOf(post(server.url, body)))),
    ]);
    expect(sockets.flat()).toHaveLength(8);
    expect(posts).toEqual(Array(4).fill('200 Accepted'));
  });
});

test('one that waits is not read into memory', async () => {
  const first = await open('/ws');
  const ended = once(first, 'message');
  first.send(JSON.stringify({ requestId: 'first', ...large(['/bin/sleep', '60'], 9) }));
  await until(10_000, 'it runs', () => server.server.load().active === 1);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  const body = JSON.stringify(large(['/bin/true'], 96));
  socket.write(`POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const answer = once(socket, 'data') as Promise<[Buffer]>;
  await sleep(500);
  // The kernel takes some MiB in its place.
  expect(socket.writableLength).toBeGreaterThan(64 * MiB);
  first.send(JSON.stringify({ cancelRequestId: 'first' }));
  await ended;
  expect(String((await answer)[0])).toContain('"status":"Accepted"');
});

test('a stream that takes all the room gets its input', async () => {
  const socket = await open('/stream');
  const answer = new Promise<string>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const frame = parseServerFrame(data);
      if (frame?.kind === 'response') resolve(frame.json);
    });
  });
  const files = [{ streamIn: true }, { streamOut: true }, { name: 'stderr', max: 1000 }];
  const copyIn = { input: { content: 'x'.repeat(11 * MiB) } };
  const request = { cmd: [cmd(['/bin/head', '-n', '1'], { files, copyIn })] };
  socket.send(requestFrame(JSON.stringify(request)));
  await until(5000, 'it has all the room', async () => !(await isReadNow()));
  socket.send(inputFrame(0, 0, Buffer.from('hello\n')));
  expect(JSON.parse(await answer)).toMatchObject({ results: [{ status: 'Accepted' }] });
  await until(5000, 'there is room again', isReadNow);
});

/** Whether a request on a new WebSocket is read. */
async function isReadNow(): Promise<boolean> {
  const socket = await open('/ws');
  socket.send(JSON.stringify({ requestId: 'a', cmd: [] }));
  const read = once(socket, 'message').then(() => true);
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 500, false));
  return Promise.race([read, late]);
}
