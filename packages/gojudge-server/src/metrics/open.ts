/** The metrics that the server was asked for. */
import type { Metrics } from './metrics.js';

/** `null` for none. Loads what they take only when they are wanted. */
export async function openMetrics(isEnabled: boolean): Promise<Metrics | null> {
  if (!isEnabled) return null;
  const { PrometheusMetrics } = await import('./prometheus.js');
  return new PrometheusMetrics();
}
