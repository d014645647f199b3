/** Tokens that come as a WebSocket subprotocol, since web pages cannot set headers of an upgrade. */
import type { IncomingMessage } from 'node:http';

/** Names that a request offers, in its order. */
export function offeredProtocols({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

/** The token behind the first name with this prefix, decoded; `''`: none. */
export function protocolToken(request: Pick<IncomingMessage, 'headers'>, prefix: string): string {
  const carrier = offeredProtocols(request).find((name) => name.startsWith(prefix));
  return carrier === undefined ? '' : Buffer.from(carrier.slice(prefix.length), 'base64url').toString('utf8');
}
