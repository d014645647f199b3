/** What the parts of the server tell about themselves. Without `enableMetrics` nobody listens, at no cost. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Outcome } from '../judge/program-result.js';
import type { Judge } from '../judge/run-job.js';

/** To be called when a request has been answered. `pattern`: the route's, never the client's own path. */
export type Observe = (pattern: string, status: number, bodyBytes: number) => void;

export interface Metrics {
  observeOutcome(outcome: Outcome): void;
  observeFailure(): void;
  observeFile(bytes: number): void;
  /** Before anything is answered; what it returns is called when all is. */
  watchHttp(request: IncomingMessage, response: ServerResponse): (pattern: string) => void;
  /** The same for a request that is not Node's. */
  watchPlain(method: string, bodyBytes: number): Observe;
  /** Interactive runs, which have no worker. */
  countStream(change: 1 | -1): void;
  /** Gauges that are read when somebody asks. */
  watch(judge: Judge): void;
  /** The page, and its type. */
  read(): Promise<{ text: string; type: string }>;
}

const ignore = () => undefined;

export const NO_METRICS: Metrics = {
  observeOutcome: ignore,
  observeFailure: ignore,
  observeFile: ignore,
  watchHttp: () => ignore,
  watchPlain: () => ignore,
  countStream: ignore,
  watch: ignore,
  read: async () => ({ text: '', type: 'text/plain; charset=utf-8' }),
};

/** Loads what it takes only when it is wanted. */
export async function openMetrics(isEnabled: boolean): Promise<Metrics> {
  if (!isEnabled) return NO_METRICS;
  const { PrometheusMetrics } = await import('./prometheus.js');
  return new PrometheusMetrics();
}
