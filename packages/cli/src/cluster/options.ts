/** `sbx worker` and `sbx cluster`, and their options. */
import { type Command, Option } from 'commander';
import type { ClusterStatusFlags, WorkerFlags } from '../flags.js';
import { brokerFlags } from './split.js';

const repeated = (value: string, before: string[] = []) => [...before, value];

const BROKER = [
  new Option(
    '--nats <url>',
    'address of the broker: nats://HOST:4222; several with commas',
  ).makeOptionMandatory(),
  ...brokerFlags(),
];

export function addWorker(root: Command, done: (exitCode: number) => void): void {
  const command = root
    .command('worker')
    .summary('run jobs of a cluster on this machine')
    .description(
      'Takes jobs from a NATS broker with JetStream and runs them here, until SIGINT or SIGTERM: then it takes no more, and ends when ' +
        'those that run have, or --drain is over. See docs/cluster.md.',
    )
    .showHelpAfterError('See: sbx help worker');
  for (const option of [...BROKER, ...workerOptions()]) command.addOption(option);
  command.action(async (flags: WorkerFlags) => {
    const { workerCommand } = await import('../commands/worker.js');
    done(await workerCommand(flags));
  });
}

export function addCluster(root: Command, done: (exitCode: number) => void): void {
  const cluster = root
    .command('cluster')
    .summary('look at a cluster')
    .showHelpAfterError('See: sbx help cluster');
  const command = cluster
    .command('status')
    .summary('workers, queue and tenants of a cluster')
    .description('Tells who works, what waits and for how long.')
    .showHelpAfterError('See: sbx help cluster status');
  for (const option of BROKER) command.addOption(option);
  command.option('--json', 'print one object on stdout');
  command.action(async (flags: ClusterStatusFlags) => {
    const { clusterStatusCommand } = await import('../commands/cluster-status.js');
    done(await clusterStatusCommand(flags));
  });
}

function workerOptions(): Option[] {
  return [
    new Option('--slots <count>', 'jobs at the same time (default: number of CPUs)'),
    new Option('--languages <names>', 'languages to announce (default: all that are installed)'),
    new Option('--labels <name=value>', 'a word for operators (repeatable)').argParser(repeated),
    new Option('--max-wall <time>', 'highest wall time of a job (default 1h)'),
    new Option('--max-input <size>', 'bytes that a job may bring along (default 256MiB)'),
    new Option('--max-output <size>', 'bytes that a job may bring back (default 256MiB)'),
    new Option('--cache <size>', 'bytes of files that are kept here (default 2GiB)'),
    new Option('--drain <time>', 'how long running jobs may go on at the end (default 30s)'),
    new Option('--metrics <address>', 'serve /metrics, /healthz and /readyz at HOST:PORT (default: none)'),
    new Option('--replicas <count>', 'copies of the queue, where it is made here (default 1)'),
    new Option('--allow-degraded', 'work also where this machine cannot give every guarantee'),
    new Option('--verbose', 'log jobs too'),
    new Option('--json', 'print one object on stdout when ready'),
  ];
}
