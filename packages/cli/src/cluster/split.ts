/** Flags of ours among those of a server that reads its own command line. */
import type { BrokerOptions } from '@sbx/cluster';
import { Option } from 'commander';
import { UsageError } from '../usage-error.js';

/** Where a cluster is. */
export interface ClusterAddress {
  cluster: string;
  credentials?: string | undefined;
  inboxPrefix?: string | undefined;
}

/** As commander takes them, and whoever completes command lines. */
export const clusterOptions = (): Option[] => [
  new Option('--cluster <url>', 'execute on the workers of a cluster: nats://HOST:4222'),
  new Option('--credentials <path>', 'credentials file for its broker'),
  new Option('--inbox-prefix <subject>', 'what inboxes at its broker begin with (default _INBOX)'),
];

const FLAG = /^--?(cluster|credentials|inbox-prefix)(?:=(.*))?$/s;

/** `cluster`: `null` where none was asked for. Throws `UsageError`. */
export function splitCluster(args: readonly string[]): { own: string[]; cluster: ClusterAddress | null } {
  const own: string[] = [];
  const found = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const [, name, value = args[index + 1]] = FLAG.exec(args[index]!) ?? [];
    if (name === undefined) {
      own.push(args[index]!);
      continue;
    }
    if (value === undefined || value === '') throw new UsageError(`--${name} needs a value`);
    if (!args[index]!.includes('=')) index += 1;
    found.set(name, value);
  }
  const cluster = found.get('cluster');
  const credentials = found.get('credentials');
  const inboxPrefix = found.get('inbox-prefix');
  if (cluster !== undefined) return { own, cluster: { cluster, credentials, inboxPrefix } };
  checkNoCluster({ credentials, inboxPrefix });
  return { own, cluster: null };
}

/** Throws `UsageError` for what is said of a broker where there is none. */
export function checkNoCluster({ credentials, inboxPrefix }: Partial<ClusterAddress>): void {
  if (credentials !== undefined) throw new UsageError('--credentials is for --cluster');
  if (inboxPrefix !== undefined) throw new UsageError('--inbox-prefix is for --cluster');
}

/** Without what was not said. */
export function brokerOptions({ cluster, credentials, inboxPrefix }: ClusterAddress): BrokerOptions {
  return {
    servers: cluster,
    ...(credentials === undefined ? {} : { credentials }),
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
  };
}
