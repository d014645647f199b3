/** Options of `WebSocketServer` of `ws` that all servers have. */
export const SOCKET_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
} as const;
