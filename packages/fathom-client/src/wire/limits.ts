/**
 * Numbers and names of the protocol, where the specification leaves them open: as docs/protocols/fathom.md
 * decides.
 */

/** On the wire, in every message. */
export const PROTOCOL_VERSION = 1;
/** Path of the WebSocket. */
export const SOCKET_PATH = '/ws';
/** Header of the upgrade, in both directions. */
export const VERSION_HEADER = 'X-Protocol-Version';

/**
 * Subprotocol that a client may offer, and that is then chosen; for browsers, which need one when they send a
 * token.
 */
export const SUBPROTOCOL = 'fathom.v1';
/**
 * With the token's UTF-8 in base64url behind it: a subprotocol that stands for the header `Authorization`,
 * which browsers cannot set.
 */
export const TOKEN_SUBPROTOCOL_PREFIX = 'fathom.bearer.';

/** Close codes of a server. */
export const CLOSE_CODES = {
  /** The server shuts down. */
  goingAway: 1001,
  /** The client reads nothing. */
  policy: 1008,
  /** A message was too large. */
  tooBig: 1009,
  /** A defect of the server. */
  internal: 1011,
  /**
   * The token is missing or wrong; for clients that offer the subprotocol, since they cannot see the 401 that
   * others get.
   */
  unauthorized: 4401,
  /** The protocol version of the upgrade is not supported. */
  versionNotSupported: 4406,
} as const;

const MB = 2 ** 20;

/** What `limits` of an execution may be; servers may raise or lower the upper ends. */
export const LIMIT_RANGES = {
  timeout_ms: { min: 1, max: 300_000 },
  memory_mb: { min: 1, max: 1024 },
  cpu_shares: { min: 2, max: 262_144 },
  max_output_bytes: { min: 1, max: 64 * MB },
} as const satisfies Record<string, { min: number; max: number }>;

/** What counts when the client gives none. */
export const LIMIT_DEFAULTS = { cpu_shares: 512, max_output_bytes: MB } as const;

/** Bounds of a request's fields; bytes are those of UTF-8. */
export const SIZE_LIMITS = {
  idLength: 256,
  codeBytes: MB,
  stdinBytes: 4 * MB,
  envCount: 128,
  /** Names and values together. */
  envBytes: 128 * 1024,
  /** Name and value of one: Linux takes 128 KiB, with the `=` and a NUL. */
  envVariableBytes: 128 * 1024 - 2,
  /**
   * Of one message. More would keep a server's loop too long, so the largest `stdin` fits as UTF-8 and not
   * with `\u` and digits for each character.
   */
  messageBytes: 8 * MB,
} as const;
