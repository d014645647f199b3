/** Addresses as Go writes them: `localhost:5050` is every loopback address, `:5050` every address. */
import type { Server } from 'node:http';
import { listenAt } from '@sbx/serving';

/** Listens with one server per address, all on one port. Resolves with URLs. */
export async function listenOn(address: string, create: () => Server): Promise<string[]> {
  const { host, port } = parseAddress(address);
  return listenAt(host, port, create);
}

/** As Go writes it. */
export function joinAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
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
