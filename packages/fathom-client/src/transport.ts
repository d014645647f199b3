/** What the client needs of its environment: a WebSocket, the global one or another. */
import { headerValue, tokenSubprotocol } from '@sbx/shared';
import { FathomError } from './errors.js';
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from './wire/index.js';

/** The part of a WebSocket that is used: standard events alone, so that every kind of it fits. */
export interface SocketLike {
  /** As of the standard. */
  send(text: string): void;
  /** As of the standard. */
  close(code?: number, reason?: string): void;
  /**
   * Ends it without waiting for the peer, where the socket can: a dead peer keeps the process for as long as
   * `close` waits.
   */
  terminate?(): void;
  /** As of the standard. */
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
}

/** Makes a socket that opens, or tells `close`. Throws when it can never work here. */
export type OpenSocket = (url: string, token: string | undefined) => SocketLike;

type SocketClass = new (url: string, protocols: string[]) => SocketLike;

/**
 * The global WebSocket. It can send no headers everywhere, so a token goes as a subprotocol, which
 * `@sbx/fathom-server` takes.
 */
export const openGlobalSocket: OpenSocket = (url, token) => {
  const Socket = (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (Socket === undefined) {
    const message = 'There is no WebSocket here: give a function `openSocket` that makes one.';
    throw new FathomError({ code: 'FATHOM_UNSUPPORTED', message });
  }
  return new Socket(
    url,
    token === undefined ? [] : [SUBPROTOCOL, tokenSubprotocol(TOKEN_SUBPROTOCOL_PREFIX, headerValue(token))],
  );
};
