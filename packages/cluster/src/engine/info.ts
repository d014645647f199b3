/** What holds on every worker of a cluster, as an engine says it of one machine. */
import { DEFAULT_LIMITS, type EngineInfo, FEATURES, type Limits } from '@sbx/core';
import { placesOf, type WorkerDescription } from '../wire/announcement.js';

const NO_WORKER = 'No worker of the cluster has announced itself.';

type Features = EngineInfo['features'];

export function clusterInfo(workers: readonly WorkerDescription[], queueLength: number): EngineInfo {
  const infos = takersOf(workers).map(({ info }) => info);
  const [first] = infos;
  const features = Object.fromEntries(FEATURES.map((name) => [name, weakest(infos, name)]));
  return {
    version: first?.version ?? '',
    kernel: first?.kernel ?? '',
    cgroup: cgroupOf(infos),
    user: first?.user ?? { mode: 'rootless', uidBase: null },
    features: features as Features,
    parallelism: placesOf(workers),
    maxSandboxes: infos.reduce((sum, { maxSandboxes }) => sum + maxSandboxes, 0),
    queueLength,
    limits: first?.limits ?? DEFAULT_LIMITS,
    ceilings: lowest(infos.map(({ ceilings }) => ceilings)),
    mounts: first?.mounts ?? [],
  };
}

/**
 * A worker that drains gets no job any more, so what it lacks is no job's. Where all drain, they are all
 * there is.
 */
function takersOf(workers: readonly WorkerDescription[]): readonly WorkerDescription[] {
  const takers = workers.filter(({ isDraining }) => !isDraining);
  return takers.length > 0 ? takers : workers;
}

/** The one that fails, where one does. */
function weakest(infos: readonly EngineInfo[], name: keyof Features): Features[typeof name] {
  const [first] = infos;
  if (first === undefined) return { available: false, mechanism: null, reason: NO_WORKER };
  return (
    infos.map(({ features }) => features[name]).find(({ available }) => !available) ?? first.features[name]
  );
}

/** Of the first worker, unless another has none. */
function cgroupOf(infos: readonly EngineInfo[]): EngineInfo['cgroup'] {
  const [first] = infos;
  if (first === undefined) return { version: 'none', path: null, controllers: [], reason: NO_WORKER };
  return (infos.find(({ cgroup }) => cgroup.version === 'none') ?? first).cgroup;
}

function lowest(all: readonly Readonly<Limits>[]): Limits {
  const ceilings = new Map<string, unknown>();
  for (const [name, value] of all.flatMap((each) => Object.entries(each))) {
    const other = ceilings.get(name);
    const isLower = typeof value === 'number' && typeof other === 'number' && value < other;
    if (value != null && (other === undefined || isLower)) ceilings.set(name, value);
  }
  return Object.fromEntries(ceilings) as Limits;
}
