/** The pages of the whole server: health, readiness, metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EntryCheck, FOREIGN_PAGE, METRICS_TYPE, sendText } from '@sbx/serving';
import type { Part } from '../parts/part.js';
import { mergeMetrics } from './metrics.js';

export interface PageParts {
  parts: readonly Part[];
  check: EntryCheck;
  /** Why nothing can be run now; `null`: it can. */
  problem(): string | null;
}

type Page = (parts: PageParts, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const PAGES = new Map<string, Page>([
  ['/healthz', (_parts, _request, response) => sendText(response, 200, 'ok\n')],
  ['/readyz', sendReadiness],
  ['/metrics', sendMetrics],
]);

export function pageOf(path: string): Page | undefined {
  return PAGES.get(path);
}

function sendReadiness({ problem }: PageParts, _request: IncomingMessage, response: ServerResponse): void {
  const why = problem();
  sendText(response, why === null ? 200 : 503, `${why ?? 'ok'}\n`);
}

async function sendMetrics(
  { parts, check }: PageParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const objection = check(request);
  if (objection === 'no-token') return sendNoToken(response);
  if (objection === 'foreign-page') return sendText(response, 403, FOREIGN_PAGE);
  const pages = await Promise.all(parts.map((part) => part.metrics())).catch(() => null);
  if (pages === null) return sendText(response, 500, 'metrics could not be read\n');
  sendText(response, 200, mergeMetrics(pages), { 'Content-Type': METRICS_TYPE });
}

export function sendNoToken(response: ServerResponse): void {
  sendText(response, 401, 'a bearer token is needed, or this is the wrong one\n', {
    'WWW-Authenticate': 'Bearer',
  });
}
