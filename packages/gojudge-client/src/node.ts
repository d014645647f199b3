/**
 * As the main entry, with Node's own means: no time-outs of 300 s, tokens with WebSockets, also on Node 20.
 *
 * @packageDocumentation
 */
import { Agent, FormData as UndiciFormData, fetch as undiciFetch } from 'undici';
import { WebSocket } from 'ws';
import { GojudgeClient as Client, type GojudgeClientOptions } from './client.js';
import type { SocketLike, Transport } from './transport.js';

export * from './index.js';

/** Runs take what they take; limits are the programs' own. */
function nodeTransport(): Transport {
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: null,
    keepAliveTimeout: 60_000,
  });
  return {
    fetch: ((input: string, init: RequestInit = {}) => {
      const body = init.body instanceof FormData ? toUndici(init.body) : init.body;
      return undiciFetch(input, { ...init, body, dispatcher } as Parameters<typeof undiciFetch>[1]);
    }) as unknown as typeof fetch,
    openSocket: (url, headers) =>
      new WebSocket(url, { headers, perMessageDeflate: false }) as unknown as SocketLike,
  };
}

/** A form knows only its own kind. */
function toUndici(form: FormData): UndiciFormData {
  const copy = new UndiciFormData();
  for (const [name, value] of form) {
    if (typeof value === 'string') copy.append(name, value);
    else copy.append(name, value as never, value.name);
  }
  return copy;
}

/** As of the main entry, over undici and ws. */
export class GojudgeClient extends Client {
  constructor(options: GojudgeClientOptions) {
    super({ transport: nodeTransport(), ...options });
  }
}
