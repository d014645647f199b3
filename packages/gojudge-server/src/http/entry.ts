/** Who may come in: by the bearer token, and by the names that a browser sends along. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isForeignPage, makeTokenCheck } from '@sbx/serving';
import type { Settings } from '../judge/settings.js';

/** The part of a request's headers that decides. */
export type EntryHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'authorization'>;

/** The HTTP status of the refusal, 0 for none. */
export type EntryCheck = (headers: EntryHeaders, socket: Pick<Socket, 'localAddress'>) => 0 | 401 | 403;

type Rules = Pick<Settings, 'token' | 'allowedOrigins' | 'allowedHosts' | 'strict'>;

/**
 * Without a list of origins, and without a token that a page would have to know, pages of other machines are
 * refused on loopback; strict, nobody is, as go-judge does. Without a list of hosts all names are fine:
 * judges come through proxies, tunnels and side-cars of the same machine that keep a name of their own, and a
 * 403 would stop them all.
 */
export function makeEntryCheck({ token, allowedOrigins, allowedHosts, strict }: Rules): EntryCheck {
  const isRightToken = makeTokenCheck(token === null ? null : `Bearer ${token}`);
  const refusesStrangers = allowedOrigins === null && token === null && !strict;
  return (headers, socket) => {
    const { origin } = headers;
    // Programs send no origin; pages cannot leave it out.
    if (origin !== undefined) {
      if (allowedOrigins !== null && !allowedOrigins.includes(origin)) return 403;
      if (refusesStrangers && isForeignPage(origin, socket.localAddress)) return 403;
    }
    // A page's own name can be made to lead here (DNS rebinding); the header keeps the name.
    if (allowedHosts !== null && !allowedHosts.includes(hostName(headers.host ?? ''))) return 403;
    return token === null || isRightToken(headers.authorization ?? '') ? 0 : 401;
  };
}

/** Without the port. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}
