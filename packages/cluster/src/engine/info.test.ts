import { DEFAULT_LIMITS, FEATURES } from '@sbx/core';
import { expect, test } from 'vitest';
import type { WorkerDescription } from '../wire/announcement.js';
import { clusterInfo } from './info.js';

/** With 2 places; a weak one can do nothing, and has lower ceilings. */
function worker({ isDraining = false, isWeak = false }): WorkerDescription {
  const reason = isWeak ? 'not here' : null;
  const feature = { available: !isWeak, mechanism: null, reason };
  return {
    version: 1,
    name: 'w',
    host: 'h',
    pid: 1,
    slots: 2,
    running: 0,
    isDraining,
    memoryBytes: 0,
    languages: [],
    labels: {},
    info: {
      version: isWeak ? 'old' : 'new',
      kernel: '6.1',
      cgroup: { version: isWeak ? 'none' : 'v2', path: null, controllers: [], reason },
      user: { mode: 'root', uidBase: null },
      features: Object.fromEntries(FEATURES.map((name) => [name, feature])) as never,
      parallelism: 2,
      maxSandboxes: 2,
      queueLength: 0,
      limits: DEFAULT_LIMITS,
      ceilings: { wallTimeMs: isWeak ? 1000 : 5000 },
      mounts: [],
    },
    totals: { started: 0, accepted: 0, superseded: 0, lost: 0, cancelled: 0 },
    cache: { bytes: 0, hits: 0, fetches: 0, evictions: 0 },
  };
}

/** What a caller of `info()` relies on. */
function told(workers: WorkerDescription[]) {
  const { version, cgroup, features, parallelism, maxSandboxes, ceilings } = clusterInfo(workers, 100);
  const lacking = FEATURES.filter((name) => !features[name].available).length;
  return { version, cgroup: cgroup.version, lacking, parallelism, maxSandboxes, ceilings };
}

const GOOD = { version: 'new', cgroup: 'v2', lacking: 0, ceilings: { wallTimeMs: 5000 } };
const WEAK = { cgroup: 'none', lacking: FEATURES.length, ceilings: { wallTimeMs: 1000 } };

test('what the weakest worker lacks, the cluster lacks', () => {
  const workers = [worker({}), worker({ isWeak: true })];
  expect(told(workers)).toEqual({ version: 'new', ...WEAK, parallelism: 4, maxSandboxes: 4 });
});

test('a worker that drains counts for nothing: it takes no job', () => {
  const workers = [worker({ isWeak: true, isDraining: true }), worker({})];
  expect(told(workers)).toEqual({ ...GOOD, parallelism: 2, maxSandboxes: 2 });
});

test('where all drain, they say what held; none has a place', () => {
  const workers = [worker({ isWeak: true, isDraining: true }), worker({ isDraining: true })];
  expect(told(workers)).toEqual({ version: 'old', ...WEAK, parallelism: 0, maxSandboxes: 4 });
});

test('without a worker nothing is there', () => {
  const none = { version: '', cgroup: 'none', lacking: FEATURES.length, ceilings: {} };
  expect(told([])).toEqual({ ...none, parallelism: 0, maxSandboxes: 0 });
});
