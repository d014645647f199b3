/** What a submitter tells Prometheus: its jobs, and the workers as they announce themselves. */
import type { Status } from '@sbx/core';
import { type Family, families } from '../metrics/page.js';
import type { Health } from '../nats/health.js';
import type { Submitter } from '../submit/submitter.js';
import type { WorkerDescription } from '../wire/announcement.js';

const { counter, counters, gauge, histogram } = families;

interface ClusterFigures {
  submitter: Submitter;
  workers: readonly WorkerDescription[];
  byStatus: Readonly<Record<Status, number>>;
  health: Health;
}

export function clusterFamilies({ submitter, workers, byStatus, health }: ClusterFigures): Family[] {
  const { load, totals, ended, times } = submitter;
  return [
    gauge(
      'sbx_cluster_jobs_waiting',
      'Jobs of this process that wait for their tenants’ turns',
      load.waiting,
    ),
    gauge(
      'sbx_cluster_jobs_in_flight',
      'Jobs of this process that are at the broker or with a worker',
      load.published,
    ),
    gauge(
      'sbx_cluster_tenants_waiting',
      'Tenants with jobs that wait in this process',
      Object.keys(load.waitingByTenant).length,
    ),
    counter('sbx_cluster_jobs_submitted_total', 'Jobs of this process', totals.submitted),
    counter(
      'sbx_cluster_jobs_refused_total',
      'Jobs that were refused since the queue was full',
      totals.refused,
    ),
    counters(
      'sbx_cluster_jobs_ended_total',
      'Jobs by how they ended: done has a result, or an error of the job; lost has none after the last attempt',
      'outcome',
      ended,
    ),
    counter(
      'sbx_cluster_second_attempts_total',
      'Attempts at jobs of this process after their first',
      totals.secondAttempts,
    ),
    counters('sbx_cluster_programs_total', 'Programs that have ended, by status', 'status', byStatus),
    histogram('sbx_cluster_wait_seconds', 'From the call until the job is sent to the broker', times.waits),
    histogram('sbx_cluster_job_seconds', 'From the call to the end of the job', times.jobs),
    gauge('sbx_cluster_connected', '1 when the broker is connected', Number(health.isConnected)),
    gauge(
      'sbx_cluster_login_refused',
      '1 since the broker refuses the login',
      Number(health.refusal !== null),
    ),
    counter('sbx_cluster_connection_losses_total', 'Times at which the broker was lost', health.losses),
    ...workerFamilies(workers),
  ];
}

function workerFamilies(workers: readonly WorkerDescription[]): Family[] {
  const active = workers.filter(({ isDraining }) => !isDraining);
  const sum = (of: (worker: WorkerDescription) => number) =>
    active.reduce((total, worker) => total + of(worker), 0);
  return [
    gauge('sbx_cluster_workers', 'Workers that announced themselves lately and take jobs', active.length),
    gauge(
      'sbx_cluster_slots',
      'Places of these workers',
      sum(({ slots }) => slots),
    ),
    gauge(
      'sbx_cluster_slots_used',
      'Places of these workers that have a job of anybody',
      sum(({ running }) => running),
    ),
  ];
}
