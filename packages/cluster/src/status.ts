/** A look at a cluster, for operators. */
import { randomUUID } from 'node:crypto';
import { JOB_STREAM, subjects, WORKERS } from './names.js';
import { type Broker, type BrokerOptions, openBroker } from './nats/connection.js';
import { WorkerList } from './nats/presence.js';
import type { WorkerDescription } from './wire/announcement.js';

/** Jobs of one tenant at the broker. */
export interface TenantStatus {
  /** The tenant. */
  tenant: string;
  /** Jobs at the broker, with a worker or without; those that wait in submitters are not among them. */
  jobs: number;
}

/** What a cluster does now. */
export interface ClusterStatus {
  /** Those that announced themselves in the last 15 s. */
  workers: WorkerDescription[];
  /** The queue at the broker. */
  queue: {
    /** Jobs that no worker has. */
    waiting: number;
    /** Jobs that workers have. */
    running: number;
    /** Jobs that were given to a second worker, of those that are there. */
    redelivered: number;
    /** Age of the job that has been there longest, in ms; `null` where there is none. */
    oldestMs: number | null;
  };
  /** With jobs at the broker, by name. */
  tenants: TenantStatus[];
  /** Since their starts, all workers together. */
  totals: WorkerDescription['totals'];
}

/** Connects, looks and closes again. Throws `ClusterUnavailableError`. */
export async function clusterStatus(options: BrokerOptions): Promise<ClusterStatus> {
  const broker = await openBroker(options, `sbx status ${randomUUID()}`);
  try {
    const list = await WorkerList.open(broker, () => undefined);
    const workers = list.all().sort((a, b) => (a.host + a.name < b.host + b.name ? -1 : 1));
    list.close();
    return { workers, ...(await queueOf(broker)), totals: totalsOf(workers) };
  } finally {
    await broker.connection.close();
  }
}

async function queueOf({ manager }: Broker): Promise<Pick<ClusterStatus, 'queue' | 'tenants'>> {
  const { state } = await manager.streams.info(JOB_STREAM, { subjects_filter: subjects.jobs('*') });
  const consumer = await manager.consumers.info(JOB_STREAM, WORKERS);
  const oldest = state.messages > 0 ? Date.now() - Date.parse(state.first_ts as unknown as string) : null;
  const tenants = Object.entries(state.subjects ?? {}).map(([subject, jobs]) => ({
    tenant: subject.slice(subjects.jobs('').length),
    jobs,
  }));
  return {
    queue: {
      waiting: consumer.num_pending,
      running: consumer.num_ack_pending,
      redelivered: consumer.num_redelivered,
      oldestMs: oldest === null ? null : Math.max(0, oldest),
    },
    tenants: tenants.sort((a, b) => (a.tenant < b.tenant ? -1 : 1)),
  };
}

function totalsOf(workers: readonly WorkerDescription[]): WorkerDescription['totals'] {
  const totals = { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 };
  for (const worker of workers) {
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += worker.totals[name];
  }
  return totals;
}
