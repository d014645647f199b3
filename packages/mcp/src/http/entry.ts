/** Who may call, by what the request says. */
import type { IncomingMessage } from 'node:http';
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

/** `''`: none. */
function presentedToken({ headers }: IncomingMessage): string {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/**
 * Where no token is asked for, a page must be of this machine, or be listed. A page that has its own name lead here sends no origin
 * with a GET, but its name as the host. Other programs send no origin.
 */
function isStrangers({ headers, socket }: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return !allowed.includes(origin) && isForeignPage(origin, socket.localAddress);
  return host !== undefined && isForeignPage(`http://${host}`, socket.localAddress);
}
