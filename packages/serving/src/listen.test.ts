// Where a server cannot listen, the error says where, why and what to change.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listenAt } from './listen.js';

test('an address in use is told with what to do', async () => {
  const first = createServer();
  const [url] = await listenAt('127.0.0.1', 0, () => first);
  const port = Number(new URL(url!).port);
  await expect(listenAt('127.0.0.1', port, () => createServer())).rejects.toMatchObject({
    code: 'EADDRINUSE',
    syscall: 'listen',
    port,
    message: `cannot listen at 127.0.0.1, port ${port}: EADDRINUSE: another program listens there; choose another port, or 0 for a free one`,
  });
  first.close();
});

test('a host of another machine is told as one', async () => {
  await expect(listenAt('192.0.2.1', 0, () => createServer())).rejects.toThrow(
    /192\.0\.2\.1, port 0: EADDRNOTAVAIL: the host must be an address of this machine/,
  );
});
