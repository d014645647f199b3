/** Who may call, by what a request says: the rules that servers with `token` and `allowedOrigins` share. */
import type { IncomingMessage } from 'node:http';
import { isForeignHost, isForeignPage } from './foreign-page.js';
import { makeTokenCheck } from './token.js';

export interface EntryRules {
  /** Whoever brings it may call. `null`: none is asked for. */
  token: string | null;
  /** Of web pages that may call where no token is asked for, besides those of this machine. */
  allowedOrigins: readonly string[];
  /** The token in a request, `''` for none. Default: that of `Authorization: Bearer`. */
  presentedToken?: (request: IncomingMessage) => string;
}

/** What stands against a request; `null`: nothing. */
export type EntryCheck = (request: IncomingMessage) => 'no-token' | 'foreign-page' | null;

/** For the answer to a `foreign-page`, which is a 403. */
export const FOREIGN_PAGE =
  'web pages of this origin or host name may not call: set a token, or list the origin in allowedOrigins (--allow-origin)\n';

export function makeEntryCheck(rules: EntryRules): EntryCheck {
  const { token, allowedOrigins, presentedToken = bearerToken } = rules;
  const isRight = makeTokenCheck(token);
  const allowedHosts = allowedOrigins.map(hostOf).filter((host) => host !== '');
  return (request) => {
    if (token !== null) return isRight(presentedToken(request)) ? null : 'no-token';
    return isStrangers(request, allowedOrigins, allowedHosts) ? 'foreign-page' : null;
  };
}

/** With the blanks that are in it; `''`: none. */
export function bearerToken({ headers }: IncomingMessage): string {
  const { authorization = '' } = headers;
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : '';
}

/** What options say of a text that is none. */
export const ORIGIN_EXPECTED = 'must be an origin as browsers send it: https://example.org, without a path';

/**
 * Whether a text is an origin as browsers send it; one that is written another way would never be met.
 * Extensions have schemes of their own.
 */
export function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]+$/.test(text);
}

/**
 * Where no token is asked for, a page must be of this machine, or be listed. A page that has its own name
 * lead here (DNS rebinding) sends no origin with a GET, but its name as the host. With an upgrade, whose
 * header no page can set, browsers always send the origin: one without it is a program's, which may come by a
 * proxy and name any host.
 */
function isStrangers(
  { headers: { origin, host, upgrade }, socket: { localAddress } }: IncomingMessage,
  allowedOrigins: readonly string[],
  allowedHosts: readonly string[],
): boolean {
  if (origin !== undefined) return !allowedOrigins.includes(origin) && isForeignPage(origin, localAddress);
  if (upgrade !== undefined || host === undefined || allowedHosts.includes(host.toLowerCase())) return false;
  return isForeignHost(host, localAddress);
}

/** With its port, where that is not the scheme's own: as browsers send it. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
