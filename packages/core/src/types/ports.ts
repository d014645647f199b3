/** Ways to ports of a sandbox that stays. */

/** Options of `sandbox.connect`. */
export interface ConnectOptions {
  /**
   * How long it may take, in ms. While nobody listens there it is tried again, so the server may be on its
   * way up. Default 5,000; 0: tried once, for a second at the most.
   */
  timeoutMs?: number | undefined;
  /**
   * As of `net.Socket`: whether our side stays open once the program has closed its own. Default `false`.
   */
  allowHalfOpen?: boolean | undefined;
  /** Aborts the attempt; the call rejects with its reason. A connection that stands is not its affair. */
  signal?: AbortSignal | undefined;
}

/** Options of `sandbox.expose`. */
export interface ExposeOptions {
  /**
   * Address of this machine to listen on. Default `'127.83.66.120'`, a loopback address apart from that of
   * other servers: programs of this machine alone can connect, and to a browser it is an origin of its own.
   */
  host?: string | undefined;
  /** Port of this machine. Default 0: one that is free, which the result tells. */
  port?: number | undefined;
  /** For each connection, as of `ConnectOptions`. */
  timeoutMs?: number | undefined;
  /** How many connections there can be at once; more are closed at once. Default 256. */
  maxConnections?: number | undefined;
}
