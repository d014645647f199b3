/** What the client needs of its environment: `fetch` and `WebSocket`, the global ones or others. */
import { onAbort, tokenSubprotocol } from '@sbx/shared';
import { failure, GojudgeError } from './errors.js';
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from './wire/index.js';

/** The part of a WebSocket that is used: standard events alone, so that every kind of it fits. */
export interface SocketLike {
  /** As of the standard. */
  binaryType: string;
  /** As of the standard. */
  readonly bufferedAmount: number;
  /** As of the standard. */
  send(data: string | Uint8Array): void;
  /** As of the standard. */
  close(code?: number): void;
  /** As of the standard. */
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
  /** Stops reading. Where there is none, output waits in memory. */
  pause?(): void;
  /** Goes on reading. */
  resume?(): void;
}

/** Means of talking to a server. */
export interface Transport {
  /** As the global one. */
  fetch: typeof fetch;
  /** Requests may have a stream as body. */
  canStreamRequests: boolean;
  /**
   * An open one, or rejects. `headers` only where the environment can send any with an upgrade. When `signal`
   * aborts nobody waits for it any more.
   */
  openSocket(url: string, headers: Record<string, string>, signal?: AbortSignal): Promise<SocketLike>;
  /** Gives connections back. */
  close?(): Promise<void>;
}

type SocketClass = new (url: string, options?: { headers: Record<string, string> } | string[]) => SocketLike;

const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/**
 * Globals. Browsers cannot send headers with an upgrade: there a token goes as a subprotocol, which
 * `@sbx/gojudge-server` takes and go-judge refuses.
 */
export const GLOBAL_TRANSPORT: Transport = {
  // Bun gives up after 5 minutes unless told otherwise; others ignore it.
  fetch: (input, init) => fetch(input, { ...init, timeout: false } as RequestInit),
  canStreamRequests: !isBrowser,
  openSocket: async (url, headers, signal) => {
    const Socket = (globalThis as { WebSocket?: SocketClass }).WebSocket;
    if (Socket === undefined)
      throw failure('GOJUDGE_UNSUPPORTED', 'There is no WebSocket here: give one as transport.');
    // Node, Bun and Deno take headers.
    const socket = new Socket(url, isBrowser ? subprotocolsFor(headers) : { headers });
    const stay = onAbort(signal, () => socket.close());
    await whenOpen(socket).finally(stay);
    return socket;
  },
};

function subprotocolsFor({ authorization }: Record<string, string>): string[] {
  const token = authorization?.replace(/^Bearer /, '');
  return token === undefined ? [] : [SUBPROTOCOL, tokenSubprotocol(TOKEN_SUBPROTOCOL_PREFIX, token)];
}

/** Resolves when it is open. */
function whenOpen(socket: SocketLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (event: unknown) => reject(connectionError('The connection was refused.', event));
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
  });
}

/** The connection did not come to be, or went away. */
export function connectionError(message: string, cause?: unknown): GojudgeError {
  return new GojudgeError({ code: 'GOJUDGE_CONNECTION', message, retryable: true, cause });
}

/** Bytes of a message, whatever the environment hands over. */
export function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return data as Uint8Array;
}
