/** A look at a cluster, for operators. */
import { randomUUID } from 'node:crypto';
import type { RunnerQueue } from '@sbx/core';
import { JOB_STREAM, subjects } from './names.js';
import { type Broker, type BrokerOptions, openBroker } from './nats/connection.js';
import { findPlaces, NoQueueError } from './nats/places.js';
import { WorkerList } from './nats/presence.js';
import { queueOf } from './nats/queue.js';
import type { WorkerDescription } from './wire/announcement.js';

/** Jobs of one tenant at the broker. */
export interface TenantStatus {
  /** The tenant. */
  tenant: string;
  /** Jobs at the broker, with a worker or without; those that wait in submitters are not among them. */
  jobs: number;
}

const EMPTY: RunnerQueue = { waiting: 0, running: 0, redelivered: 0, oldestMs: null };

/** What a cluster does now. */
export interface ClusterStatus {
  /** Those that announced themselves in the last 15 s, by host and name. */
  workers: WorkerDescription[];
  /** The queue at the broker. */
  queue: RunnerQueue;
  /** With jobs at the broker, by name. */
  tenants: TenantStatus[];
  /** Since their starts, all workers together. */
  totals: WorkerDescription['totals'];
}

/**
 * Connects, looks and closes again. Makes nothing at the broker: whoever works there first says with how many
 * copies. Throws `ClusterUnavailableError`.
 */
export async function clusterStatus(options: BrokerOptions): Promise<ClusterStatus> {
  const broker = await openBroker(options, `sbx status ${randomUUID()}`, findPlaces).catch((error) => {
    if (error.cause instanceof NoQueueError) return null;
    throw error;
  });
  if (broker === null) return { workers: [], queue: { ...EMPTY }, tenants: [], totals: totalsOf([]) };
  try {
    const list = await WorkerList.open(broker, () => undefined);
    const workers = list.all();
    list.close();
    const [queue, tenants] = await Promise.all([queueOf(broker), tenantsOf(broker)]);
    return { workers, queue, tenants, totals: totalsOf(workers) };
  } finally {
    await broker.connection.close();
  }
}

async function tenantsOf({ manager }: Broker): Promise<TenantStatus[]> {
  const { state } = await manager.streams.info(JOB_STREAM, { subjects_filter: subjects.jobs('*') });
  const tenants = Object.entries(state.subjects ?? {}).map(([subject, jobs]) => ({
    tenant: subject.slice(subjects.jobs('').length),
    jobs,
  }));
  return tenants.sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
}

function totalsOf(workers: readonly WorkerDescription[]): WorkerDescription['totals'] {
  const totals = { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 };
  for (const worker of workers) {
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += worker.totals[name];
  }
  return totals;
}
