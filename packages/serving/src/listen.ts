/** Listening on an address; `localhost` is every loopback address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundConnections } from './connections.js';

/** Not every machine has these. */
const MAY_BE_MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * One server per address, all on one port; without a host on all addresses. Each takes a bounded number of
 * connections. Resolves with URLs.
 */
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
  boundConnections(server);
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      const { address, family, port: chosen } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`);
    });
  });
}

/** What to do about it, by code. */
const FIXES = new Map([
  ['EADDRINUSE', 'another program listens there; choose another port, or 0 for a free one'],
  ['EACCES', 'ports below 1024 need privileges; choose another port, or 0 for a free one'],
  ['EADDRNOTAVAIL', 'the host must be an address of this machine'],
  ['EAI_AGAIN', 'the host must be an address or a name of this machine'],
  ['ENOTFOUND', 'the host must be an address or a name of this machine'],
]);

/**
 * Node's error in a sentence that says what to change; its code, address and port stay readable, and it is
 * the cause.
 */
function listenError(error: NodeJS.ErrnoException, host: string | undefined, port: number): Error {
  const { code = '', syscall } = error;
  const fix = FIXES.get(code);
  const reason = fix === undefined ? error.message : `${code}: ${fix}`;
  const text = `cannot listen at ${host ?? 'all addresses'}, port ${port}: ${reason}`;
  return Object.assign(new Error(text, { cause: error }), { code, syscall, address: host, port });
}
