/** A cluster's engine for a command; what it refuses is told by the flag that it came from. */
import type { ClusterEngine } from '@sbx/cluster';
import { aborted, flagName, refuseOption } from '../serve/words.js';
import { UsageError } from '../usage-error.js';
import { type ClusterAddress, checkNoCluster, type SubmitterFlags, submitterOptions } from './split.js';

export const NO_WORKER_YET = 'no worker is there yet: starting when one comes';

/** Only a cluster's commands load what speaks to its broker. */
export async function openCluster({ cluster, ...flags }: ClusterAddress): Promise<ClusterEngine> {
  const { ClusterEngine } = await import('@sbx/cluster');
  const options = { servers: cluster, ...submitterOptions(flags) };
  return ClusterEngine.open(options).catch((error) => refuse(error, '--cluster'));
}

/** Flags of an engine on this machine, as commander hands them over. */
export interface LocalFlags {
  root?: string;
  standby?: string;
  standbyMemory?: string;
  allowDegraded?: boolean;
}

/** `undefined`: no cluster was asked for. Throws `UsageError` for flags that workers would not see. */
export async function clusterOf(
  flags: SubmitterFlags & LocalFlags & { cluster?: string },
): Promise<ClusterEngine | undefined> {
  const { cluster, root, standby, standbyMemory, allowDegraded } = flags;
  if (cluster === undefined) {
    checkNoCluster(flags);
    return undefined;
  }
  const asked = { root, standby: standby === 'none' ? undefined : standby, standbyMemory, allowDegraded };
  const [local] = Object.entries(asked).find(([, value]) => value !== undefined) ?? [];
  if (local === undefined) return openCluster({ ...flags, cluster });
  throw new UsageError(
    `${flagName(local)} is of an engine on this machine, and --cluster has none`,
    'Programs run as the engines of the workers are set up: sbx help worker.',
  );
}

/** `null` when a signal came first, as while nobody works: then nothing is open any more. */
export async function openUnless<Server extends { close(): Promise<void> }>(
  signal: AbortSignal,
  opening: Promise<Server>,
  engine: ClusterEngine | undefined,
): Promise<Server | null> {
  const first = await Promise.race([opening, aborted(signal)]);
  if (first !== undefined) return first;
  await engine?.close(); // what waits for a worker is rejected
  await opening.then(
    (server) => server.close(),
    () => undefined,
  );
  return null;
}

/** `address`: the flag of the broker's address. */
export function refuse(error: unknown, address: string): never {
  return refuseOption(error, ({ field }) => {
    const option = field.replace(/^options\.(\w+).*/, '$1');
    return option === 'servers' ? address : flagName(option);
  });
}
