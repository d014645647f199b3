/**
 * The calls of `@sbx/core` on many machines, over NATS JetStream. Start with `ClusterEngine.open` and
 * `startWorker`; docs/cluster.md says what holds when machines and connections fail.
 *
 * @packageDocumentation
 */
export { ClusterEngine } from './engine/engine.js';
export type { ClusterJob, ClusterTicket } from './engine/job.js';
export type { ClusterOptions } from './engine/options.js';
export {
  ClusterDeniedError,
  ClusterUnavailableError,
  JobCancelledError,
  JobConflictError,
  JobDeadlineError,
  WorkerLostError,
} from './errors.js';
export type { BrokerOptions } from './nats/connection.js';
export { type ClusterStatus, clusterStatus, type TenantStatus } from './status.js';
export type { WorkerDescription } from './wire/announcement.js';
export type { WorkerLogger, WorkerOptions } from './worker/options.js';
export { startWorker, type Worker } from './worker/worker.js';
