/** A cluster's engine for a command; what it refuses is told by the flag that it came from. */
import { ClusterEngine } from '@sbx/cluster';
import { InvalidOptionsError } from '@sbx/core';
import { UsageError } from '../usage-error.js';
import type { ClusterAddress } from './split.js';

export function openCluster({ cluster, credentials }: ClusterAddress): Promise<ClusterEngine> {
  const options = { servers: cluster, ...(credentials === undefined ? {} : { credentials }) };
  return ClusterEngine.open(options).catch((error) => refuse(error, '--cluster'));
}

/** `address`: the flag of the broker's address. */
export function refuse(error: unknown, address: string): never {
  if (!(error instanceof InvalidOptionsError)) throw error;
  const option = error.field.replace(/^options\.(\w+).*/, '$1');
  const flag = option === 'servers' ? address : `--${option}`;
  throw new UsageError(
    `${flag} ${error.expected}${error.got === null ? '' : `; got ${error.got}`}`,
    error.hint,
  );
}
