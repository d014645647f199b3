/**
 * The monitor port: metrics and profiles when enabled, and whether the server lives and can run. Only
 * profiles ask for the token: they have it in them.
 */
import type { Server, ServerResponse } from 'node:http';
import { makeTokenCheck, sendText, serverInTurn, unreadyReason } from '@sbx/serving';
import type { Parts } from '../open.js';
import type { Metrics } from './metrics.js';
import { type Page, profilePages } from './profile.js';

export function openMonitor(metrics: Metrics | null, { context, options }: Parts): Server {
  const pages: Readonly<Record<string, Page>> = {
    ...(options.enableDebug ? profilePages() : {}),
    ...(metrics === null ? {} : { '/metrics': (response) => sendMetrics(metrics, response) }),
    '/healthz': (response) => sendText(response, 200, 'ok\n'),
    '/readyz': (response) => {
      const problem = problemOf(context);
      sendText(response, problem === null ? 200 : 503, `${problem ?? 'ok'}\n`);
    },
  };
  const { token } = context.settings;
  const isRightToken = makeTokenCheck(token === null ? null : `Bearer ${token}`);
  return serverInTurn((request, response) => {
    const [path = '', query] = (request.url ?? '/').split('?', 2);
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined; // by any method: probes send HEAD
    if (page === undefined) return sendText(response, 404, '404 page not found\n');
    if (path.startsWith('/debug/') && !isRightToken(request.headers.authorization ?? '')) {
      return sendText(response, 401, 'unauthorized\n', { 'WWW-Authenticate': 'Bearer' });
    }
    void page(response, new URLSearchParams(query));
  });
}

/** Why nothing can be run now; `null` when it can. */
function problemOf({ engine, workers, settings }: Parts['context']): string | null {
  const isFull = workers.waiting >= settings.queueLength;
  return unreadyReason(engine) ?? (isFull ? 'worker queue is full' : null);
}

async function sendMetrics(metrics: Metrics, response: ServerResponse): Promise<void> {
  const page = await metrics.read().catch(() => null);
  if (page === null) return sendText(response, 500, 'metrics could not be read\n');
  return sendText(response, 200, page.text, { 'Content-Type': page.type });
}
