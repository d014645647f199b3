/** Addresses as Go writes them: `localhost:5050` is every loopback address, `:5050` every address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Not every machine has these. */
const MAY_BE_MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Listens with one server per address, all on one port. Resolves with URLs. */
export async function listenOn(address: string, create: () => Server): Promise<string[]> {
  const { host, port } = parseAddress(address);
  if (host !== 'localhost') return [await listen(create(), host, port)];
  const first = await listen(create(), '127.0.0.1', port);
  const chosen = Number(new URL(first).port) || 80;
  const second = await listen(create(), '::1', chosen).catch((error: NodeJS.ErrnoException) => {
    if (MAY_BE_MISSING.has(error.code ?? '')) return null;
    throw error;
  });
  return second === null ? [first] : [first, second];
}

function parseAddress(address: string): { host: string | undefined; port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, Math.max(0, colon)).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  if (colon < 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`listen tcp: address ${address}: missing or invalid port`);
  }
  return { host: host === '' ? undefined : host, port };
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
