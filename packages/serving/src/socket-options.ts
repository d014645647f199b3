/** Options of `WebSocketServer` of `ws` that all servers have. */
export const SOCKET_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // One message of a connection at a time, others are served in between: one read brings 8000 of two bytes.
  allowSynchronousEvents: false,
} as const;
