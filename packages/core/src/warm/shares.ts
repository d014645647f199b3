/**
 * Which launch specs a warm pool holds processes for: those that were requested lately, in proportion. Pure.
 */
import type { LaunchSpec } from './launch-spec.js';

/** Requests that are remembered; a launch spec that is not among them gets no process. */
export const RECENT_MAX = 8;

/** Launch specs of the processes in a pool, starting ones included. */
export type Holding = readonly { launchSpec: LaunchSpec }[];

/** The launch spec of the next process to start. `recent` is not empty, the latest last. */
export function nextLaunchSpec(recent: readonly LaunchSpec[], holding: Holding): LaunchSpec {
  let best = recent[recent.length - 1]!;
  for (const launchSpec of recent)
    if (claim(recent, holding, launchSpec) > claim(recent, holding, best)) best = launchSpec;
  return best;
}

/**
 * In a full pool: a process whose launch spec has a weaker claim than the next launch spec, if there is one.
 */
export function weakest<T extends { launchSpec: LaunchSpec }>(
  recent: readonly LaunchSpec[],
  holding: readonly T[],
): T | null {
  const next = nextLaunchSpec(recent, holding);
  const strength = claim(recent, holding, next);
  const found = holding.find(
    ({ launchSpec }) => asked(recent, launchSpec) / held(holding, launchSpec) < strength,
  );
  return found ?? null;
}

/** The rule of D'Hondt: requests per process that it would have. */
function claim(recent: readonly LaunchSpec[], holding: Holding, launchSpec: LaunchSpec): number {
  return asked(recent, launchSpec) / (held(holding, launchSpec) + 1);
}

function asked(recent: readonly LaunchSpec[], { key }: LaunchSpec): number {
  return recent.filter((launchSpec) => launchSpec.key === key).length;
}

function held(holding: Holding, { key }: LaunchSpec): number {
  return holding.filter(({ launchSpec }) => launchSpec.key === key).length;
}
