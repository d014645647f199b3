// Many requests in one write, as `xargs printf | nc` makes them.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Turns, type WaitingBounds } from './in-turn.js';

let server: Server;
let underWay: ServerResponse[];

/** Answers come from the test. */
async function listen(bounds?: WaitingBounds): Promise<void> {
  underWay = [];
  server = createServer(new Turns(bounds).handler((_request, response) => void underWay.push(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
}
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

function send(...paths: string[]): Socket & { got: string } {
  const socket = Object.assign(connect((server.address() as AddressInfo).port, '127.0.0.1'), { got: '' });
  socket.on('data', (chunk) => {
    socket.got += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(paths.map(one).join(''));
  return socket;
}

/** In whatever time: others may have the CPUs. */
const becomes = (condition: () => boolean) => expect.poll(condition, { timeout: 20_000 }).toBe(true);

test('the next request begins when the answer before it has left', async () => {
  await listen();
  const client = send('/1', '/2', '/3');
  for (const path of ['/1', '/2', '/3']) {
    await becomes(() => underWay.length > 0);
    expect(underWay.map(({ req }) => req.url)).toEqual([path]);
    underWay.pop()!.end(`[${path}]`);
    await becomes(() => client.got.includes(`[${path}]`));
  }
  client.write(one('/4'));
  await becomes(() => underWay.length === 1);
});

test('others are served in between', async () => {
  const order: string[] = [];
  server = createServer(
    new Turns().handler(({ url = '' }, response) => {
      order.push(url);
      if (order.length === 1) send('/other');
      const until = performance.now() + 2;
      while (performance.now() < until);
      response.end();
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  send(...Array.from({ length: 200 }, () => '/same'));
  await becomes(() => order.length === 201);
  expect(order.indexOf('/other')).toBeLessThan(100);
});

test('what waits of a client that has gone never begins', async () => {
  await listen({ countMax: 1 });
  const client = send('/1', '/2');
  await becomes(() => underWay.length === 1);
  client.destroy();
  await becomes(() => underWay[0]!.destroyed);
  send('/3', '/4'); // its room is free again
  await becomes(() => underWay.length === 2);
  underWay[1]!.end();
  await becomes(() => underWay.length === 3);
  expect(underWay.map(({ req }) => req.url)).toEqual(['/1', '/3', '/4']);
});

test('a connection is cut whose requests find no room to wait', async () => {
  await listen({ countMax: 2 });
  const patient = send('/1', '/2');
  await becomes(() => underWay.length === 1);
  const hasty = send('/a', '/b', '/c');
  await once(hasty, 'close');
  underWay[0]!.end('[1]');
  await becomes(() => patient.got.includes('[1]') && underWay.at(-1)!.req.url === '/2');
});

/** With a head of about so many bytes. */
const large = (path: string, bytes: number) => `${path} HTTP/1.1\r\nX: ${'x'.repeat(bytes)}\r\nY:`;

test('while more than a few wait a connection is not read, and gets all answers in order', async () => {
  const turns = new Turns();
  const asked: ServerResponse[] = [];
  server = createServer(turns.handler((_request, response) => void asked.push(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const paths = Array.from({ length: 2000 }, (_, at) => `/${at}`);
  const client = send(...paths.map((path) => large(path, 1000)));
  await becomes(() => turns.count > 16);
  for (let at = 0; at < 20; at += 1) await new Promise(setImmediate);
  expect(turns.count).toBeLessThan(200);
  let most = 0;
  for (let at = 0; at < paths.length; at += 1) {
    while (asked.length === 0) await new Promise(setImmediate);
    most = Math.max(most, turns.count);
    const response = asked.pop()!;
    response.end(`[${response.req.url}]`);
  }
  await becomes(() => client.got.includes('[/1999]'));
  expect(client.got.match(/\[.*?\]/g)).toEqual(paths.map((path) => `[${path}]`));
  expect([most < 200, turns.count]).toEqual([true, 0]);
});

test('an answer that drains does not have a connection read that is not to be', async () => {
  const turns = new Turns();
  const asked: ServerResponse[] = [];
  server = createServer(turns.handler((_request, response) => void asked.push(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  send(...Array.from({ length: 2000 }, (_, at) => large(`/${at}`, 1000)));
  await becomes(() => turns.count > 16);
  for (let at = 0; at < 10; at += 1) {
    asked[0]!.write(Buffer.alloc(4 * 2 ** 20));
    await once(asked[0]!, 'drain');
  }
  expect(turns.count).toBeLessThan(200);
});

test('a connection is cut whose large heads find no room, and small ones still do', async () => {
  await listen({ bytesMax: 100_000 });
  send('/1', large('/2', 60_000));
  await becomes(() => underWay.length === 1);
  const hasty = send('/a', large('/b', 60_000));
  await once(hasty, 'close');
  const small = send('/x', large('/y', 10_000));
  await becomes(() => underWay.at(-1)!.req.url === '/x');
  underWay.at(-1)!.end('[x]');
  await becomes(() => small.got.includes('[x]') && underWay.at(-1)!.req.url === '/y');
});

test('a head that was not read is not late, and has its time when it is read', async () => {
  const turns = new Turns({}, 1000);
  const asked: ServerResponse[] = [];
  server = createServer(turns.handler((_request, response) => void asked.push(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = send(...Array.from({ length: 40 }, () => '/same'));
  client.write('GET /late HTT');
  await becomes(() => turns.count > 16);
  const { socket } = asked[0]!.req;
  expect(turns.excusesHead(socket)).toBe(true);
  for (let at = 0; at < 40; at += 1) {
    while (asked.length === 0) await new Promise(setImmediate);
    asked.pop()!.end();
  }
  expect(turns.excusesHead(socket)).toBe(false);
  await once(client, 'close');
});

test('connections that bring no request make room for others when there are as many as may be', async () => {
  underWay = [];
  const turns = new Turns();
  server = createServer(turns.handler((_request, response) => void underWay.push(response)));
  turns.watch(server, 0);
  server.maxConnections = 3;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = send('/asked');
  await becomes(() => underWay.length === 1);
  const silent = send();
  const begun = send();
  begun.write('GET / HT');
  const areThere = (count: number) =>
    new Promise((resolve) => server.getConnections((_, there) => resolve(there === count)));
  await expect.poll(() => areThere(3)).toBe(true);
  const cut = [silent, begun].map((socket) => once(socket, 'close'));
  send('/refused');
  await Promise.all(cut);
  underWay.pop()!.end('[asked]');
  await becomes(() => asked.got.includes('[asked]'));
  // Also one that has brought a request before.
  asked.write('GET / HT');
  const others = [send('/1'), send('/2')];
  await becomes(() => underWay.length === 2);
  const last = once(asked, 'close');
  await new Promise((resolve) => setTimeout(resolve, 1000)); // so often is looked at the most
  send('/refused');
  await last;
  for (const response of underWay) response.end('[taken]');
  await becomes(() => others.every(({ got }) => got.includes('[taken]')));
});
