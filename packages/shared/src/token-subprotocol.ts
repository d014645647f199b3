/**
 * The UTF-8 of a token in base64url behind a prefix: a WebSocket subprotocol in place of a header, which
 * browsers cannot set.
 */
export function tokenSubprotocol(prefix: string, token: string): string {
  const bytes = new TextEncoder().encode(token);
  const base64 = btoa(String.fromCharCode(...bytes));
  return prefix + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
