// Ports for servers that go and come back. One that the kernel picked (`listen(0)`) is anybody's while its
// server is away: it may pick it again, for a connection as for another server.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Below are ports of well-known services, and those that `fetch` refuses. */
const LOWEST = 11_000;
/** Where the kernel's own begin unless it is told otherwise; told less, ours may be its own, too. */
const KERNELS = 32_768;

/** One that nobody listens on and that the kernel gives to nobody. */
export async function freePort() {
  const kernels = parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'latin1'), 10);
  for (;;) {
    const port = randomInt(LOWEST, Math.max(kernels, KERNELS));
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
