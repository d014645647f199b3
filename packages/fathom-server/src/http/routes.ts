/** The addresses besides the socket: metrics, health, and what a plain request to the socket's path gets. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EntryCheck, FOREIGN_PAGE, sendText } from '@sbx/serving';

export interface RouteParts {
  path: string;
  check: EntryCheck;
  metrics: { contentType: string; metrics(): Promise<string> };
  /** Why nothing more can be taken; `null` when it can. */
  problem(): string | null;
}

/** The path of a request, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*/s, '');
}

export const UNAUTHORIZED = { 'WWW-Authenticate': 'Bearer' } as const;

/** Answers one request. Never rejects. */
export async function route(
  parts: RouteParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const path = pathOf(request);
  if (path === parts.path) {
    return sendText(response, 426, 'WebSocket only\n', { Upgrade: 'websocket', Connection: 'Upgrade' });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendText(response, 404, 'not found\n');
  if (path === '/healthz') return sendText(response, 200, 'ok\n');
  if (path === '/readyz') {
    const problem = parts.problem();
    return sendText(response, problem === null ? 200 : 503, `${problem ?? 'ok'}\n`);
  }
  if (path !== '/metrics') return sendText(response, 404, 'not found\n');
  const objection = parts.check(request);
  if (objection === 'no-token') return sendText(response, 401, 'unauthorized\n', UNAUTHORIZED);
  if (objection === 'foreign-page') return sendText(response, 403, FOREIGN_PAGE);
  const text = await parts.metrics.metrics().catch(() => null);
  if (text === null) return sendText(response, 500, 'metrics could not be read\n');
  return sendText(response, 200, text, { 'Content-Type': parts.metrics.contentType });
}
