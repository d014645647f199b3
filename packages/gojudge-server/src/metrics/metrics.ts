/** What the parts of the server tell about themselves, with `enableMetrics`. Else there is nobody to tell. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunMetrics, ServerContext } from '../judge/run-job.js';

/** To be called when a request has been answered. `pattern`: the route's, never the client's own path. */
export type Observe = (pattern: string, status: number, bodyBytes: number) => void;

/** What of it sees each request, also when it is the log that asks. */
export interface RequestWatch {
  /** Before anything is answered; what it returns is called when all is. */
  watchHttp(request: IncomingMessage, response: ServerResponse): (pattern: string) => void;
  /** The same for a request that is not Node's. */
  watchSimple(method: string, bodyBytes: number, path: string): Observe;
}

export interface Metrics extends RunMetrics, RequestWatch {
  observeFile(bytes: number): void;
  /** Gauges that are read when somebody asks. */
  watch(context: ServerContext): void;
  /** The page, and its type. */
  read(): Promise<{ text: string; type: string }>;
}
