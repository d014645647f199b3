/** The monitor port: metrics when enabled, and whether the server lives and can run. No token. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Parts } from '../open.js';
import type { Metrics } from './metrics.js';

const TEXT = 'text/plain; charset=utf-8';

export function openMonitor(metrics: Metrics, { judge }: Parts, withMetrics: boolean): Server {
  return createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*/, '');
    if (request.method === 'GET' && path === '/metrics' && withMetrics)
      return void sendMetrics(metrics, response);
    if (request.method === 'GET' && path === '/healthz') return send(response, 200, 'ok\n');
    if (request.method === 'GET' && path === '/readyz') {
      const isReady = judge.workers.waiting < judge.settings.queueLength;
      return send(response, isReady ? 200 : 503, isReady ? 'ok\n' : 'worker queue is full\n');
    }
    send(response, 404, '404 page not found\n');
  });
}

async function sendMetrics({ registry }: Metrics, response: ServerResponse): Promise<void> {
  const text = await registry.metrics().catch(() => null);
  if (text === null) return send(response, 500, 'metrics could not be read\n');
  response.writeHead(200, { 'Content-Type': registry.contentType });
  response.end(text);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': TEXT, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
