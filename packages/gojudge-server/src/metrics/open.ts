/** The metrics that the server was asked for. */
import { type Metrics, NO_METRICS } from './metrics.js';

/** Loads what it takes only when it is wanted. */
export async function openMetrics(isEnabled: boolean): Promise<Metrics> {
  if (!isEnabled) return NO_METRICS;
  const { PrometheusMetrics } = await import('./prometheus.js');
  return new PrometheusMetrics();
}
