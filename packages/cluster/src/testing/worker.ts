/** What a worker says of itself, for tests: it has 2 places and can do everything. */
import { DEFAULT_LIMITS, FEATURES } from '@sbx/core';
import type { WorkerDescription } from '../wire/announcement.js';

export function worker(own: Partial<WorkerDescription>): WorkerDescription {
  const feature = { available: true, mechanism: null, reason: null };
  return {
    version: 1,
    name: 'w',
    host: 'h',
    pid: 1,
    slots: 2,
    running: 0,
    isDraining: false,
    memoryBytes: 0,
    languages: [],
    labels: {},
    info: {
      version: 'new',
      kernel: '6.1',
      cgroup: { version: 'v2', path: null, controllers: [], reason: null },
      user: { mode: 'root', uidBase: null },
      features: Object.fromEntries(FEATURES.map((name) => [name, feature])) as never,
      parallelism: 2,
      maxSandboxes: 2,
      queueLength: 0,
      limits: DEFAULT_LIMITS,
      ceilings: { wallTimeMs: 5000 },
      mounts: [],
    },
    totals: { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 },
    cache: { bytes: 0, hits: 0, fetches: 0, evictions: 0 },
    ...own,
  };
}
