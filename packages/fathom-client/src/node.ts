/**
 * As the main entry, with Node's own means: the token in a header, and the reason when a server refuses the upgrade.
 *
 * @packageDocumentation
 */
import { WebSocket } from 'ws';
import { FathomClient as Client, type FathomClientOptions } from './client.js';
import { FathomError } from './errors.js';
import type { OpenSocket, SocketLike } from './transport.js';
import { PROTOCOL_VERSION, VERSION_HEADER } from './wire/index.js';

export * from './index.js';

/** Far above what servers send in one message, far below what would hurt. */
const MESSAGE_BYTES_MAX = 16 * 2 ** 20;

const openSocket: OpenSocket = (url, token) => {
  const headers: Record<string, string> = { [VERSION_HEADER]: String(PROTOCOL_VERSION) };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX });
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    socket.emit('error', refusal(url, statusCode, token !== undefined));
    socket.terminate(); // tells `close`
  });
  return socket as unknown as SocketLike;
};

function refusal(url: string, status: number, hasToken: boolean): FathomError {
  if (status === 401)
    return new FathomError({
      code: 'FATHOM_UNAUTHORIZED',
      message: `${url} ${hasToken ? 'does not take this token' : 'asks for a token'}.`,
    });
  const message = `${url} answered with HTTP ${status} instead of a WebSocket.`;
  // 5xx comes from proxies whose server is away.
  return status >= 500
    ? new FathomError({ code: 'FATHOM_CONNECTION', message, retryable: true })
    : new FathomError({ code: 'FATHOM_PROTOCOL', message });
}

/** As of the main entry, over ws. */
export class FathomClient extends Client {
  constructor(options: FathomClientOptions) {
    super({ openSocket, ...options });
  }
}
