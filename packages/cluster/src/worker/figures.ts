/** What a worker tells Prometheus. */
import type { EngineCounters } from '@sbx/core';
import { type Family, families } from '../metrics/page.js';
import { processFamilies } from '../metrics/process.js';
import type { Health } from '../nats/health.js';
import type { WorkerDescription } from '../wire/announcement.js';
import type { WorkerSlots } from '../work/worker-slots.js';

const { counter, counters, gauge, histogram } = families;

interface WorkerFigures {
  description: WorkerDescription;
  figures: WorkerSlots['figures'];
  isPaused: boolean;
  fetchedBytes: number;
  counters: EngineCounters;
  health: Health;
}

export function workerFamilies(parts: WorkerFigures): Family[] {
  return [...jobFamilies(parts), ...cacheFamilies(parts), ...engineFamilies(parts), ...processFamilies()];
}

function jobFamilies({ description, figures, isPaused, health }: WorkerFigures): Family[] {
  const { slots, running, isDraining, totals } = description;
  const { started, ...ended } = totals;
  return [
    gauge('sbx_worker_slots', 'Jobs that may run at the same time', slots),
    gauge('sbx_worker_running', 'Jobs that run', running),
    gauge('sbx_worker_draining', '1 when it takes no more jobs', Number(isDraining)),
    gauge('sbx_worker_connected', '1 when the broker is connected', Number(health.isConnected)),
    gauge(
      'sbx_worker_login_refused',
      '1 since the broker refuses the login',
      Number(health.refusal !== null),
    ),
    counter('sbx_worker_connection_losses_total', 'Times at which the broker was lost', health.losses),
    counter('sbx_worker_jobs_started_total', 'Jobs begun, each attempt of its own', started),
    counters(
      'sbx_worker_jobs_ended_total',
      'Jobs by what became of them: accepted is a result that counts, superseded one that came too late, lost a job without an attempt left',
      'outcome',
      ended,
    ),
    counter('sbx_worker_redelivered_total', 'Jobs that another worker had before', figures.redelivered),
    counter(
      'sbx_worker_handed_back_total',
      'Jobs that it could not carry out, for another attempt',
      figures.handedBack,
    ),
    gauge('sbx_worker_paused', '1 while it takes no jobs, since it could carry none out', Number(isPaused)),
    counter('sbx_worker_lease_extensions_total', 'Extensions of leases', figures.extensions),
    histogram('sbx_worker_queue_seconds', 'At the broker until the first attempt', figures.queued),
    histogram('sbx_worker_run_seconds', 'From a job’s begin to its result, files included', figures.runs),
  ];
}

function cacheFamilies({ description, fetchedBytes }: WorkerFigures): Family[] {
  const { bytes, hits, fetches, evictions } = description.cache;
  return [
    gauge('sbx_worker_cache_bytes', 'Files of jobs that are kept', bytes),
    counter('sbx_worker_cache_hits_total', 'Files that were there', hits),
    counter('sbx_worker_cache_misses_total', 'Files that were fetched', fetches),
    counter('sbx_worker_cache_evictions_total', 'Files that were given up for others', evictions),
    counter('sbx_worker_cache_fetched_bytes_total', 'Bytes of files that were fetched', fetchedBytes),
  ];
}

function engineFamilies({ counters: engine }: WorkerFigures): Family[] {
  const { byStatus, sandboxes, helperRestartsTotal } = engine;
  return [
    counters('sbx_worker_programs_total', 'Programs that have ended, by status', 'status', byStatus),
    gauge('sbx_worker_sandboxes', 'Sandboxes in use', sandboxes),
    counter(
      'sbx_worker_helper_restarts_total',
      'Helper processes started in the place of one that had died',
      helperRestartsTotal,
    ),
  ];
}
