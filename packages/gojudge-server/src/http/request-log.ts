/** `-enable-debug`: a line for each request. Never a body, a header or a query: tokens travel in those. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Observe, RequestWatch } from '../metrics/metrics.js';
import { pathOf } from './request-path.js';

const PATH_CHARS_MAX = 256;

export class RequestLog {
  readonly #write: (fields: object, message: string) => void;

  constructor(write: (fields: object, message: string) => void) {
    this.#write = write;
  }

  /** Logs what `next` is told of as well. */
  before(next: RequestWatch | null): RequestWatch {
    return {
      watchHttp: (request, response) => this.#watchHttp(request, response, next),
      watchSimple: (method, bodyBytes, path) => {
        const log = this.#begin(method, path);
        const observe = next?.watchSimple(method, bodyBytes, path);
        const both: Observe = (pattern, status, bytes) => {
          observe?.(pattern, status, bytes);
          log(status);
        };
        return both;
      },
    };
  }

  /** A WebSocket: told when it is over. The status of its upgrade is the socket's own matter. */
  watchSocket({ method = 'GET', url = '/' }: IncomingMessage, socket: Duplex): void {
    const log = this.#begin(method, url);
    socket.once('close', () => log());
  }

  #watchHttp(request: IncomingMessage, response: ServerResponse, next: RequestWatch | null) {
    const log = this.#begin(request.method ?? 'GET', request.url ?? '/');
    const observe = next?.watchHttp(request, response);
    return (pattern: string) => {
      observe?.(pattern);
      log(response.statusCode);
    };
  }

  #begin(method: string, url: string): (status?: number) => void {
    const path = (pathOf(url) ?? 'unreadable').slice(0, PATH_CHARS_MAX);
    const begunMs = performance.now();
    return (status) => {
      const durationMs = Math.round((performance.now() - begunMs) * 1000) / 1000;
      if (status === undefined) this.#write({ method, path, durationMs }, 'connection closed');
      else this.#write({ method, path, status, durationMs }, 'request');
    };
  }
}
