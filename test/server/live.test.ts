// `/console/ws`: figures of each second, samples of watched runs, bounds.

import type {
  FiguresMessage,
  HelloMessage,
  RunEndMessage,
  RunMessage,
  ServerMessage,
} from '@sbx/console/wire';
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useServer } from './server.js';

const open = useServer({ console: { connectionCountMax: 3, watchCountMax: 2 } });
const guarded = useServer({ token: 'secret' }, () => open.server);
const bare = useServer({ console: false }, () => open.server);

interface Talk extends AsyncDisposable {
  heard: ServerMessage[];
  socket: WebSocket;
  until<Type extends ServerMessage['type']>(type: Type): Promise<Extract<ServerMessage, { type: Type }>>;
  send(message: unknown): void;
  closed: Promise<number>;
}

async function talk(url: string, protocols: string[] = [], headers = {}): Promise<Talk> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/console/ws`, protocols, { headers });
  const heard: ServerMessage[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    heard,
    socket,
    closed,
    async until(type) {
      await expect.poll(() => heard.some((one) => one.type === type), { timeout: 15_000 }).toBe(true);
      return heard.splice(
        heard.findIndex((one) => one.type === type),
        1,
      )[0] as never;
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async [Symbol.asyncDispose]() {
      socket.close();
      await closed;
    },
  };
}

const BUSY = 'x = bytearray(40 << 20)\nimport time\nend = time.time() + 1\nwhile time.time() < end: pass';

describe('figures', () => {
  test('the first message tells engine, guarantees and languages; then one a second', async () => {
    await using live = await talk(open.url);
    const hello: HelloMessage = await live.until('hello');
    expect(hello).toMatchObject({ v: 1, protocols: ['gojudge', 'fathom', 'mcp'] });
    expect(hello.guarantees.find(({ name }) => name === 'seccomp')).toMatchObject({
      available: true,
      fix: null,
    });
    const python = hello.languages.find(({ name }) => name === 'python')!;
    expect(python).toMatchObject({ fathom: true, source: 'main.py', compile: null });
    expect(python.version).toMatch(/^3\./);
    const cpp = hello.languages.find(({ name }) => name === 'cpp')!;
    expect(cpp).toMatchObject({ fathom: false, compile: { output: ['main'] }, run: { args: ['./main'] } });
    await live.until('figures'); // at once, and then by the clock of all connections
    const first: FiguresMessage = await live.until('figures');
    await live.until('figures');
    const third: FiguresMessage = await live.until('figures');
    expect(third.atMs - first.atMs).toBeGreaterThan(1000); // 2000 less what the first was late
    expect(first.engine.ready).toBeGreaterThanOrEqual(0);
  });

  test('each protocol counts its runs by status and by time', async () => {
    await using gojudge = new GojudgeClient({ url: open.url });
    await gojudge.run({ args: ['/bin/true'] });
    await gojudge.run({ args: ['/bin/false'] });
    await using fathom = new FathomClient({ url: `${open.url}/fathom` });
    await fathom.execute({ language: 'shell', code: 'exit 3' });
    await using live = await talk(open.url);
    const { protocols } = await live.until('figures');
    expect(protocols.gojudge!.endedByStatus).toMatchObject({ Accepted: 1, 'Nonzero Exit Status': 1 });
    expect(protocols.fathom!.endedByStatus).toEqual({ failed: 1 });
    expect(protocols.gojudge!.latencyCounts.reduce((sum, count) => sum + count, 0)).toBe(2);
  });
});

describe('watched runs', () => {
  test('of Fathom, from the start to the end', async () => {
    await using live = await talk(open.url);
    await using fathom = new FathomClient({ url: `${open.url}/fathom` });
    const execution = fathom.execute({ language: 'python', code: BUSY });
    live.send({ type: 'watch', id: execution.id });
    await execution;
    const end: RunEndMessage = await live.until('run-end');
    expect(end).toEqual({ type: 'run-end', id: execution.id, status: 'completed' });
    const samples = live.heard.filter((one): one is RunMessage => one.type === 'run');
    expect(samples.length).toBeGreaterThan(4);
    expect(samples.length).toBeLessThanOrEqual(1100 / 50 + 25); // a second and its start, at 20 Hz at most
    const last = samples.at(-1)!;
    expect(last.cpuTimeMs).toBeGreaterThan(100);
    expect(Math.max(...samples.map(({ memoryBytes }) => memoryBytes ?? 0))).toBeGreaterThan(30 << 20);
  });

  test("of go-judge's /stream, by the id of the request", async () => {
    await using live = await talk(open.url);
    live.send({ type: 'watch', id: 'mine', intervalMs: 100 });
    await using gojudge = new GojudgeClient({ url: open.url });
    await using run = await gojudge.interact({ args: ['/bin/sleep', '0.5'] }, { requestId: 'mine' });
    await run.result;
    expect(await live.until('run-end')).toMatchObject({ id: 'mine', status: 'Accepted' });
    expect(live.heard.filter(({ type }) => type === 'run').length).toBeGreaterThan(2);
  });

  test('others are not reported, and an ended watch says nothing', async () => {
    await using live = await talk(open.url);
    await using fathom = new FathomClient({ url: `${open.url}/fathom` });
    const watched = fathom.execute({ language: 'shell', code: 'sleep 0.4' });
    live.send({ type: 'watch', id: watched.id });
    await live.until('run');
    live.send({ type: 'unwatch', id: watched.id });
    live.heard.length = 0;
    await fathom.execute({ language: 'shell', code: 'sleep 0.2' });
    await watched;
    expect(live.heard.filter(({ type }) => type !== 'figures' && type !== 'run')).toEqual([]);
    expect(live.heard.filter(({ type }) => type === 'run').length).toBeLessThanOrEqual(2); // under way
  });
});

describe('bounds', () => {
  test.each([
    ['no JSON', '{', /^message: /],
    ['no such type', { type: 'stop', id: 'a' }, /^type: /],
    ['an empty id', { type: 'watch', id: '' }, /^id: /],
    ['an id too long', { type: 'watch', id: 'x'.repeat(257) }, /^id: /],
    ['a field that there is not', { type: 'watch', id: 'a', more: 1 }, /^message: .*more/],
    ['more than 20 Hz', { type: 'watch', id: 'a', intervalMs: 49 }, /^intervalMs: /],
  ])('%s is refused, and the connection stays', async (_, message, expected) => {
    await using live = await talk(open.url);
    live.send(message);
    expect((await live.until('refused')).message).toMatch(expected);
    await live.until('figures');
  });

  test('a run is watched once, and only so many at a time', async () => {
    await using live = await talk(open.url);
    for (const id of ['a', 'a', 'b', 'c']) live.send({ type: 'watch', id });
    expect((await live.until('refused')).message).toMatch(/watched already; unwatch it first/);
    expect((await live.until('refused')).message).toMatch(/2 runs are watched already/);
    live.send({ type: 'unwatch', id: 'a' });
    live.send({ type: 'watch', id: 'c' });
    live.send({ type: 'watch', id: 'd' });
    expect((await live.until('refused')).message).toMatch(/2 runs/);
  });

  test('a message too large ends the connection', async () => {
    await using live = await talk(open.url);
    live.send('x'.repeat(5000));
    expect(await live.closed).toBe(1009);
  });

  test('more connections than allowed are refused with 503', async () => {
    const talks = [await talk(open.url), await talk(open.url), await talk(open.url)];
    await expect(talk(open.url)).rejects.toThrow('503');
    for (const one of talks) await one[Symbol.asyncDispose]();
    await (await talk(open.url))[Symbol.asyncDispose]();
  });
});

describe('entry', () => {
  const token = (text: string) => ['sbx.console.v1', `sbx.bearer.${Buffer.from(text).toString('base64url')}`];

  test('the token comes as a header or as a subprotocol', async () => {
    await using header = await talk(guarded.url, [], { Authorization: 'Bearer secret' });
    await header.until('hello');
    await using protocol = await talk(guarded.url, token('secret'));
    await protocol.until('hello');
    expect(protocol.socket.protocol).toBe('sbx.console.v1');
  });

  test('a wrong one is told to those who can read nothing but a close code, and refused to others', async () => {
    const wrong = await talk(guarded.url, token('wrong'));
    expect(await wrong.closed).toBe(4401);
    expect(wrong.heard).toEqual([]);
    await expect(talk(guarded.url)).rejects.toThrow('401');
  });

  test('pages of others are refused', async () => {
    await expect(talk(open.url, [], { Origin: 'https://evil.example' })).rejects.toThrow('403');
  });

  test('without a console there is none', async () => {
    await expect(talk(bare.url)).rejects.toThrow('404');
    expect((await fetch(bare.url)).status).toBe(404);
  });
});
