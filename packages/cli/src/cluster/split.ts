/** Flags of ours among those of a server that reads its own command line. */
import { Option } from 'commander';
import { UsageError } from '../usage-error.js';

/** Where a cluster is. */
export interface ClusterAddress {
  cluster: string;
  credentials?: string | undefined;
}

/** As commander takes them, and whoever completes command lines. */
export const clusterOptions = (): Option[] => [
  new Option('--cluster <url>', 'execute on the workers of a cluster: nats://HOST:4222'),
  new Option('--credentials <path>', 'credentials file for its broker'),
];

const FLAG = /^--?(cluster|credentials)(?:=(.*))?$/s;

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
  if (cluster !== undefined) return { own, cluster: { cluster, credentials } };
  if (credentials !== undefined) throw new UsageError('--credentials is for --cluster');
  return { own, cluster: null };
}
