/** What the parts of the server tell about themselves. Without `enableMetrics` nobody listens, at no cost. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProgramResult } from '../judge/program-result.js';
import type { ServerContext } from '../judge/run-job.js';

/** To be called when a request has been answered. `pattern`: the route's, never the client's own path. */
export type Observe = (pattern: string, status: number, bodyBytes: number) => void;

export interface Metrics {
  observeResult(outcome: ProgramResult): void;
  observeFailure(): void;
  observeFile(bytes: number): void;
  /** Before anything is answered; what it returns is called when all is. */
  watchHttp(request: IncomingMessage, response: ServerResponse): (pattern: string) => void;
  /** The same for a request that is not Node's. */
  watchSimple(method: string, bodyBytes: number): Observe;
  /** Interactive runs, which have no worker. */
  countStream(change: 1 | -1): void;
  /** Gauges that are read when somebody asks. */
  watch(context: ServerContext): void;
  /** The page, and its type. */
  read(): Promise<{ text: string; type: string }>;
}

const ignore = () => undefined;

export const NO_METRICS: Metrics = {
  observeResult: ignore,
  observeFailure: ignore,
  observeFile: ignore,
  watchHttp: () => ignore,
  watchSimple: () => ignore,
  countStream: ignore,
  watch: ignore,
  read: async () => ({ text: '', type: 'text/plain; charset=utf-8' }),
};
