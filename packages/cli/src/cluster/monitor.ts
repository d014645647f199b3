/** What a worker tells over HTTP: its figures, whether it lives, and whether it takes jobs. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Worker } from '@sbx/cluster';
import { listenAt, METRICS_TYPE, sendText, serverInTurn } from '@sbx/serving';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';

/** An IPv6 address stands in brackets; without a host it is every address, as elsewhere. */
const ADDRESS = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/;

type Told = Pick<Worker, 'notReadyReason' | 'metrics'>;

export interface MonitorAddress {
  host: string | undefined;
  port: number;
}

/** Throws `UsageError` when it cannot listen there. */
export async function openMonitor(
  worker: Told,
  { host, port }: MonitorAddress,
): Promise<{ urls: string[]; close(): void }> {
  const servers: Server[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const path = (request.url ?? '/').replace(/\?.*/s, '');
    if (path === '/metrics') {
      return sendText(response, 200, worker.metrics(), { 'Content-Type': METRICS_TYPE });
    }
    if (path === '/healthz') return sendText(response, 200, 'ok\n');
    if (path !== '/readyz') return sendText(response, 404, 'not found\n');
    const { notReadyReason } = worker;
    return sendText(response, notReadyReason === null ? 200 : 503, `${notReadyReason ?? 'ok'}\n`);
  };
  const create = () => {
    const server = serverInTurn(answer);
    servers.push(server);
    return server;
  };
  const urls = await listenAt(host, port, create).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    throw new UsageError(`--metrics: ${error.message}`, null, EXIT.ioError);
  });
  return {
    urls,
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** The value of `--metrics`. Throws `UsageError`. */
export function addressFrom(text: string): MonitorAddress {
  const [, bracketed, name, port] = ADDRESS.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(
      `--metrics must be HOST:PORT; got ${JSON.stringify(text)}`,
      'Write 127.0.0.1:9464 for this machine alone, :9464 for all of its addresses.',
    );
  }
  return { host: (bracketed ?? name) || undefined, port: Number(port) };
}
