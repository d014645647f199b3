/** Who may connect, by what the request for it says. */
import type { IncomingMessage } from 'node:http';
import {
  PROTOCOL_VERSION,
  SUBPROTOCOL,
  TOKEN_SUBPROTOCOL_PREFIX,
  VERSION_HEADER,
} from '@sbx/fathom-client/wire';
import { isForeignPage, makeTokenCheck } from '@sbx/serving';

export interface EntryRules {
  token: string | null;
  allowedOrigins: readonly string[];
}

/** What stands against a request; `null`: nothing. */
export type EntryCheck = (request: IncomingMessage) => 'no-token' | 'foreign-origin' | null;

export function makeEntryCheck({ token, allowedOrigins }: EntryRules): EntryCheck {
  const isRight = makeTokenCheck(token);
  return (request) => {
    if (token !== null) return isRight(presentedToken(request)) ? null : 'no-token';
    return isStrangers(request, allowedOrigins) ? 'foreign-origin' : null;
  };
}

/** From the header, or from a subprotocol: web pages cannot set headers. `''`: none. */
function presentedToken({ headers }: IncomingMessage): string {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const offered = offeredProtocols(headers['sec-websocket-protocol']);
  const carrier = offered.find((name) => name.startsWith(TOKEN_SUBPROTOCOL_PREFIX));
  if (carrier === undefined) return '';
  return Buffer.from(carrier.slice(TOKEN_SUBPROTOCOL_PREFIX.length), 'base64url').toString('utf8');
}

function offeredProtocols(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim());
}

/** Whether a client offers our subprotocol, as those do that cannot set headers. */
export function offersProtocol({ headers }: IncomingMessage): boolean {
  return offeredProtocols(headers['sec-websocket-protocol']).includes(SUBPROTOCOL);
}

/** The subprotocol to answer with: ours when it was offered, else none. */
export function chosenProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false;
}

/** Where no token is asked for, a page must be of this machine, or be listed. Other programs send no origin. */
function isStrangers({ headers, socket }: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin } = headers;
  return origin !== undefined && !allowed.includes(origin) && isForeignPage(origin, socket.localAddress);
}

/** Whether the version that is asked for is ours; without the header it is. A list is fine when ours is in it. */
export function isVersionSupported({ headers }: IncomingMessage): boolean {
  const asked = headers[VERSION_HEADER.toLowerCase()];
  if (asked === undefined) return true;
  return String(asked)
    .split(',')
    .map((version) => version.trim())
    .some((version) => version === String(PROTOCOL_VERSION) || version === `${PROTOCOL_VERSION}.0`);
}
