/** Who may come in: by the bearer token, and where asked for by the names that a browser sends along. */
import type { IncomingHttpHeaders } from 'node:http';
import { makeTokenCheck } from '@sbx/serving';
import type { Settings } from '../settings.js';

/** The part of a request's headers that decides. */
export type EntryHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'authorization'>;

/** The HTTP status of the refusal, 0 for none. */
export type EntryCheck = (headers: EntryHeaders) => 0 | 401 | 403;

type Rules = Pick<Settings, 'authToken' | 'allowOrigins' | 'allowHosts'>;

/** `null` of a rule lets everybody in, as go-judge does. */
export function makeEntryCheck({ authToken, allowOrigins, allowHosts }: Rules): EntryCheck {
  if (authToken === null && allowOrigins === null && allowHosts === null) return () => 0;
  const isRightToken = makeTokenCheck(authToken === null ? null : `Bearer ${authToken}`);
  return ({ origin, host = '', authorization = '' }) => {
    // Programs send no origin; pages cannot leave it out.
    if (allowOrigins !== null && origin !== undefined && !allowOrigins.includes(origin)) return 403;
    // A page's own name can be made to lead here (DNS rebinding); the header keeps the name.
    if (allowHosts !== null && !allowHosts.includes(hostName(host))) return 403;
    return isRightToken(authorization) ? 0 : 401;
  };
}

/** Without the port. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}
