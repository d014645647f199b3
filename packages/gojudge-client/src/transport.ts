/** What the client needs of its environment: `fetch` and `WebSocket`, the global ones or others. */
import { GojudgeError } from './errors.js';

/** The part of a WebSocket that is used: standard events alone, so that every kind of it fits. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  /** As of the standard. */
  send(data: string | Uint8Array): void;
  /** As of the standard. */
  close(code?: number): void;
  /** As of the standard. */
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: never) => void): void;
}

/** Means of talking to a server. */
export interface Transport {
  /** As the global one. */
  fetch: typeof fetch;
  /** `headers` only where the environment can send any with an upgrade. */
  openSocket(url: string, headers: Record<string, string>): SocketLike | Promise<SocketLike>;
}

/** Globals. Browsers cannot send a token with an upgrade, and go-judge takes it nowhere else. */
export const GLOBAL_TRANSPORT: Transport = {
  fetch: (input, init) => fetch(input, init),
  openSocket: (url, headers) => {
    const Socket = (globalThis as { WebSocket?: new (url: string, options?: object) => SocketLike })
      .WebSocket;
    if (Socket === undefined) {
      const message =
        'There is no WebSocket here: import @sbx/gojudge-client/node, or give one as transport.';
      throw new GojudgeError({ code: 'GOJUDGE_UNSUPPORTED', message });
    }
    const isBrowser = 'document' in globalThis;
    if (isBrowser && headers.authorization !== undefined) {
      const message = 'A browser cannot send a token with a WebSocket.';
      throw new GojudgeError({ code: 'GOJUDGE_UNSUPPORTED', message });
    }
    return isBrowser ? new Socket(url) : new Socket(url, { headers }); // Node, Bun and Deno take headers
  },
};

/** Resolves when it is open. */
export function whenOpen(socket: SocketLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => {
      reject(
        new GojudgeError({
          code: 'GOJUDGE_CONNECTION',
          message: 'The connection was refused.',
          retryable: true,
        }),
      );
    };
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
  });
}

/** Bytes of a message, whatever the environment hands over. */
export function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return data as Uint8Array;
}
