import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boundConnections, connectionsMax } from './connections.js';

describe('more connections than the server takes', () => {
  let server: Server;
  let answers: ServerResponse[];
  const opened: Socket[] = [];

  beforeEach(async () => {
    answers = [];
    server = createServer((request, response) => {
      if (request.url === '/wait') answers.push(response);
      else response.end('now');
    });
    boundConnections(server, 3);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Resolves with what it hears, `''` when it is cut. */
  const ask = async (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    opened.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const heard = once(socket, 'data').then(([data]) => `${data}`);
    return Promise.race([heard, once(socket, 'close').then(() => '')]);
  };

  it('have those closed that wait for their next request, so that another one is taken', async () => {
    for (let i = 0; i < 3; i += 1) expect(await ask('/')).toContain('now');
    const idle = opened.map((socket) => once(socket, 'close'));
    expect(await ask('/')).toBe('');
    await Promise.all(idle);
    expect(await ask('/')).toContain('now');
  });

  it('leave those alone that are being answered', async () => {
    const waiting = [0, 1, 2].map(() => ask('/wait'));
    await expect.poll(() => answers.length).toBe(3);
    expect(await ask('/')).toBe('');
    for (const answer of answers) answer.end('late');
    for (const heard of await Promise.all(waiting)) expect(heard).toContain('late');
  });
});

it('by default there are some', () => {
  expect(connectionsMax()).toBeGreaterThan(0);
  expect(connectionsMax()).toBeLessThanOrEqual(16_384);
});
