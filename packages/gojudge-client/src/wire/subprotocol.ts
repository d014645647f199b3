/**
 * How a browser, which cannot set headers of an upgrade, brings its token to `@sbx/gojudge-server`. The
 * original ignores both.
 */

/** Subprotocol that a client offers, and that is then chosen. */
export const SUBPROTOCOL = 'gojudge.v1';
/** With the token's UTF-8 in base64url behind it: stands for the header `Authorization`. */
export const TOKEN_SUBPROTOCOL_PREFIX = 'gojudge.bearer.';
