/** Flags of ours among those of a server that reads its own command line. */
import type { BrokerOptions } from '@sbx/cluster';
import { Option } from 'commander';
import { UsageError } from '../usage-error.js';

/** What is said of a broker beside its address. */
export interface BrokerFlags {
  credentials?: string | undefined;
  inboxPrefix?: string | undefined;
  jetstreamDomain?: string | undefined;
}

/** And of whoever sends jobs to it. */
export interface SubmitterFlags extends BrokerFlags {
  tenant?: string | undefined;
}

/** Where a cluster is. */
export interface ClusterAddress extends SubmitterFlags {
  cluster: string;
}

export const brokerFlags = (): Option[] => [
  new Option('--credentials <path>', 'credentials file for the broker (.creds)'),
  new Option('--inbox-prefix <subject>', 'what inboxes at the broker begin with (default _INBOX)'),
  new Option('--jetstream-domain <name>', 'JetStream domain of the broker (default: none)'),
];

const submitterFlags = (): Option[] => [
  ...brokerFlags(),
  new Option('--tenant <name>', 'whose jobs these are, at the broker (default: default)'),
];

/** As commander takes them, and whoever completes command lines. */
export const clusterOptions = (): Option[] => [
  new Option('--cluster <url>', 'execute on the workers of a cluster: nats://HOST:4222'),
  ...submitterFlags(),
];

/** `cluster`: `null` where none was asked for. Throws `UsageError`. */
export function splitCluster(args: readonly string[]): { own: string[]; cluster: ClusterAddress | null } {
  const options = new Map(clusterOptions().map((option) => [option.name(), option.attributeName()]));
  const own: string[] = [];
  const found = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const [, name = '', value = args[index + 1]] = /^--?([\w-]+)(?:=(.*))?$/s.exec(args[index]!) ?? [];
    const attribute = options.get(name);
    if (attribute === undefined) {
      own.push(args[index]!);
      continue;
    }
    if (value === undefined || value === '') throw new UsageError(`--${name} needs a value`);
    if (!args[index]!.includes('=')) index += 1;
    found.set(attribute, value);
  }
  const { cluster, ...flags } = Object.fromEntries(found) as Partial<ClusterAddress>;
  if (cluster !== undefined) return { own, cluster: { cluster, ...flags } };
  checkNoCluster(flags);
  return { own, cluster: null };
}

/** Throws `UsageError` for what is said of a broker where there is none. */
export function checkNoCluster(flags: SubmitterFlags): void {
  const given = new Set(Object.keys(submitterOptions(flags)));
  const option = submitterFlags().find((each) => given.has(each.attributeName()));
  if (option !== undefined) throw new UsageError(`--${option.name()} is for --cluster`);
}

/** Those of a command's flags that are of a submitter, without what was not said. */
export function submitterOptions({ tenant, ...flags }: SubmitterFlags): SubmitterFlags {
  return { ...brokerOptions(flags), ...(tenant === undefined ? {} : { tenant }) };
}

/** Those that are of a broker. */
export function brokerOptions({
  credentials,
  inboxPrefix,
  jetstreamDomain,
}: BrokerFlags): Omit<BrokerOptions, 'servers'> {
  return {
    ...(credentials === undefined ? {} : { credentials }),
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
    ...(jetstreamDomain === undefined ? {} : { jetstreamDomain }),
  };
}
