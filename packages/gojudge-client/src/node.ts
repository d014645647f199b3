/**
 * As the main entry, with Node's own means: no time-outs of 300 s, tokens with WebSockets, also on Node 20.
 *
 * @packageDocumentation
 */
import { noAnswerFrom, onAbort } from '@sbx/shared';
import { Agent, fetch as undiciFetch } from 'undici';
import { WebSocket } from 'ws';
import { GojudgeClient as Client, type GojudgeClientOptions } from './client.js';
import { failure, GojudgeError } from './errors.js';
import { connectionError, type SocketLike, type Transport } from './transport.js';

export * from './index.js';

/**
 * For the peer's part of the close. A server that waits for a program to read its input sees no close before
 * that, and kills the program only when the connection is gone.
 */
const GOODBYE_MS = 1000;

/** Runs take what they take; limits are the programs' own. */
function nodeTransport(): Transport {
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: null,
    keepAliveTimeout: 60_000,
  });
  let closed: GojudgeError | null = null;
  return {
    fetch: (async (input: string, init: RequestInit = {}) => {
      if (closed !== null) throw closed;
      return undiciFetch(input, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]);
    }) as unknown as typeof fetch,
    canStreamRequests: true,
    openSocket,
    close: () => {
      closed ??= failure('GOJUDGE_CLOSED', 'The client was closed.');
      return dispatcher.destroy(closed);
    },
  };
}

function openSocket(url: string, headers: Record<string, string>, signal?: AbortSignal): Promise<SocketLike> {
  const options = { headers, perMessageDeflate: false, closeTimeout: GOODBYE_MS };
  const socket = new WebSocket(url, options);
  const stay = onAbort(signal, () => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.once('close', stay);
    socket.once('open', () => {
      stay();
      resolve(socket as unknown as SocketLike);
    });
    socket.on('error', (cause) => reject(connectionError(noAnswerFrom(url, cause), cause)));
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      const message = `${url} answered with HTTP ${statusCode} instead of a WebSocket.`;
      const code = statusCode === 401 ? 'GOJUDGE_UNAUTHORIZED' : 'GOJUDGE_PROTOCOL';
      reject(new GojudgeError({ code, message, status: statusCode }));
    });
  });
}

function withTransport(options: GojudgeClientOptions): GojudgeClientOptions {
  return { ...options, transport: options?.transport ?? nodeTransport() };
}

/** As of the main entry, over undici and ws. */
export class GojudgeClient extends Client {
  constructor(options: GojudgeClientOptions) {
    // A string would be spread into its letters, and the check would not see what it was.
    super(typeof options === 'string' ? options : withTransport(options));
  }
}
