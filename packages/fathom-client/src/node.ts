/**
 * As the main entry, with Node's own means: the token in a header, and the reason when a server refuses the
 * upgrade.
 *
 * @packageDocumentation
 */
import { headerValue } from '@sbx/shared';
import { WebSocket } from 'ws';
import { FathomClient as Client } from './client.js';
import type { FathomClientOptions } from './client-options.js';
import { refusedUpgrade } from './lasting-failures.js';
import type { OpenSocket, SocketLike } from './transport.js';
import { PROTOCOL_VERSION, VERSION_HEADER } from './wire/index.js';

export * from './index.js';

/** Far above what servers send in one message, far below what would hurt. */
const MESSAGE_BYTES_MAX = 16 * 2 ** 20;

const openSocket: OpenSocket = (url, token) => {
  const headers: Record<string, string> = { [VERSION_HEADER]: String(PROTOCOL_VERSION) };
  if (token !== undefined) headers.authorization = headerValue(`Bearer ${token}`);
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX });
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    socket.emit('error', refusedUpgrade({ url, hasToken: token !== undefined, status: statusCode }));
    socket.terminate(); // tells `close`
  });
  return socket as unknown as SocketLike;
};

/** As of the main entry, over ws. */
export class FathomClient extends Client {
  constructor(options: FathomClientOptions) {
    // Anything else is for the check to see as it is.
    const isObject = typeof options === 'object' && options !== null;
    super(isObject ? { ...options, openSocket: options.openSocket ?? openSocket } : options);
  }
}
