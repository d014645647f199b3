/**
 * A request to a WebSocket address that is no upgrade: two answers glued together, as go-judge gives them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { goJson } from '../wire/results.js';

/** `null` when it can be upgraded. */
export function upgradeProblem({ headers, method }: IncomingMessage): string | null {
  const notProtocol = 'websocket: the client is not using the websocket protocol';
  if (!hasToken(headers.connection, 'upgrade'))
    return `${notProtocol}: 'upgrade' token not found in 'Connection' header`;
  if (!hasToken(headers.upgrade, 'websocket'))
    return `${notProtocol}: 'websocket' token not found in 'Upgrade' header`;
  if (method !== 'GET')
    return 'websocket: the client is not using the websocket protocol: request method is not GET';
  if (headers['sec-websocket-version'] !== '13') {
    return "websocket: unsupported version: 13 not found in 'Sec-Websocket-Version' header";
  }
  const key = Buffer.from(headers['sec-websocket-key'] ?? '', 'base64');
  if (key.length === 16) return null;
  return "websocket: not a websocket handshake: 'Sec-WebSocket-Key' header must be Base64 encoded value of 16-byte in length";
}

function hasToken(header: string | undefined, token: string): boolean {
  return (header ?? '').split(',').some((part) => part.trim().toLowerCase() === token);
}

export const NO_UPGRADE_HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Sec-Websocket-Version': '13',
  'X-Content-Type-Options': 'nosniff',
} as const;

export function noUpgradeBody(problem: string): string {
  return `Bad Request\n${goJson(problem)}`;
}

export function sendNoUpgrade(request: IncomingMessage, response: ServerResponse): void {
  const body = noUpgradeBody(upgradeProblem(request) ?? 'websocket: upgrade is not possible here');
  response.writeHead(400, { ...NO_UPGRADE_HEADERS, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
