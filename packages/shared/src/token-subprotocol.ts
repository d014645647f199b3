/**
 * A token, as the value of a header has it (`headerValue`), in base64url behind a prefix: a WebSocket
 * subprotocol in place of a header, which browsers cannot set.
 */
export function tokenSubprotocol(prefix: string, token: string): string {
  return prefix + btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
