/** What the servers say and do where programs run on other machines. */
import type { Runner } from '@sbx/core';

/** Requests that are on their way to other machines at once: how many run is theirs to say. */
export const ELSEWHERE_PARALLELISM = 1024;

/** Why a runner can start nothing now, in words for `/readyz`; `null`: it can. */
export function unreadyReason(engine: Runner): string | null {
  if (engine.isReady) return null;
  return engine.workers === undefined
    ? 'the engine is starting its helper again'
    : 'no worker of the cluster takes jobs';
}
