// Many requests in one write, as `xargs printf | nc` makes them.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { inTurn } from './in-turn.js';

let server: Server;
let underWay: ServerResponse[];

/** Answers come from the test. */
async function listen(waitingMax?: number): Promise<void> {
  underWay = [];
  server = createServer(inTurn((_request, response) => void underWay.push(response), waitingMax));
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
    inTurn(({ url = '' }, response) => {
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
  await listen(1);
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
  await listen(2);
  const patient = send('/1', '/2');
  await becomes(() => underWay.length === 1);
  const hasty = send('/a', '/b', '/c');
  await once(hasty, 'close');
  underWay[0]!.end('[1]');
  await becomes(() => patient.got.includes('[1]') && underWay.at(-1)!.req.url === '/2');
});
