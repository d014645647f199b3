/** What a request to connect brings: its token, its subprotocol, its version. */
import type { IncomingMessage } from 'node:http';
import {
  PROTOCOL_VERSION,
  SUBPROTOCOL,
  TOKEN_SUBPROTOCOL_PREFIX,
  VERSION_HEADER,
} from '@sbx/fathom-client/wire';
import { bearerToken, offeredProtocols, protocolToken } from '@sbx/serving';

/** From the header, or from a subprotocol: web pages cannot set headers. `''`: none. */
export function presentedToken(request: IncomingMessage): string {
  return bearerToken(request) || protocolToken(request, TOKEN_SUBPROTOCOL_PREFIX);
}

/** Whether a client offers our subprotocol, as those do that cannot set headers. */
export function offersProtocol(request: IncomingMessage): boolean {
  return offeredProtocols(request).includes(SUBPROTOCOL);
}

/** The subprotocol to answer with: ours when it was offered, else none. */
export function chosenProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false;
}

/**
 * Whether the version that is asked for is ours; without the header it is. A list is fine when ours is in it.
 */
export function isVersionSupported({ headers }: IncomingMessage): boolean {
  const asked = headers[VERSION_HEADER.toLowerCase()];
  if (asked === undefined) return true;
  return String(asked)
    .split(',')
    .map((version) => version.trim())
    .some((version) => version === String(PROTOCOL_VERSION) || version === `${PROTOCOL_VERSION}.0`);
}
