import type { ServerResponse } from 'node:http';

/** Of pages that Prometheus reads, in its text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A short answer of plain text. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = 'text/plain; charset=utf-8';
  response.writeHead(status, { 'Content-Type': type, ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
