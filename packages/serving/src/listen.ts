/** Listening on an address; `localhost` is every loopback address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Not every machine has these. */
const MAY_BE_MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** One server per address, all on one port; without a host on all addresses. Resolves with URLs. */
export async function listenAt(
  host: string | undefined,
  port: number,
  create: () => Server,
): Promise<string[]> {
  if (host !== 'localhost') return [await listen(create(), host, port)];
  const first = await listen(create(), '127.0.0.1', port);
  const chosen = Number(new URL(first).port) || 80;
  const second = await listen(create(), '::1', chosen).catch((error: NodeJS.ErrnoException) => {
    if (MAY_BE_MISSING.has(error.code ?? '')) return null;
    throw error;
  });
  return second === null ? [first] : [first, second];
}

function listen(server: Server, host: string | undefined, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const { address, family, port: chosen } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`);
    });
  });
}
