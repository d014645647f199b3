import { FEATURES } from '@sbx/core';
import { expect, test } from 'vitest';
import { worker } from '../testing/worker.js';
import type { WorkerDescription } from '../wire/announcement.js';
import { clusterInfo } from './info.js';

/** It can do nothing, and has lower ceilings. */
function weak(isDraining = false): WorkerDescription {
  const reason = 'not here';
  const feature = { available: false, mechanism: null, reason };
  const { info, ...rest } = worker({ isDraining });
  return {
    ...rest,
    info: {
      ...info,
      version: 'old',
      cgroup: { version: 'none', path: null, controllers: [], reason },
      features: Object.fromEntries(FEATURES.map((name) => [name, feature])) as never,
      ceilings: { wallTimeMs: 1000 },
    },
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
  const workers = [worker({}), weak()];
  expect(told(workers)).toEqual({ version: 'new', ...WEAK, parallelism: 4, maxSandboxes: 4 });
});

test('a worker that drains counts for nothing: it takes no job', () => {
  const workers = [weak(true), worker({})];
  expect(told(workers)).toEqual({ ...GOOD, parallelism: 2, maxSandboxes: 2 });
});

test('where all drain, they say what held; none has a place', () => {
  const workers = [weak(true), worker({ isDraining: true })];
  expect(told(workers)).toEqual({ version: 'old', ...WEAK, parallelism: 0, maxSandboxes: 4 });
});

test('without a worker nothing is there', () => {
  const none = { version: '', cgroup: 'none', lacking: FEATURES.length, ceilings: {} };
  expect(told([])).toEqual({ ...none, parallelism: 0, maxSandboxes: 0 });
});
