/** `sbx cluster status`: who works, what waits. */
import { type ClusterStatus, clusterStatus } from '@sbx/cluster';
import { refuse } from '../cluster/open.js';
import { brokerOptions } from '../cluster/split.js';
import { EXIT } from '../exit-codes.js';
import type { ClusterStatusFlags } from '../flags.js';
import { formatTable, painterFor, printJson } from '../terminal.js';

/** Exit code 0 also where nobody works: that is an answer. */
export async function clusterStatusCommand({ nats, json, ...flags }: ClusterStatusFlags): Promise<number> {
  const options = { servers: nats, ...brokerOptions(flags) };
  const status = await clusterStatus(options).catch((error) => refuse(error, '--nats'));
  if (json) printJson({ version: 1, command: 'cluster status', ...status });
  else process.stdout.write(textOf(status));
  return EXIT.ok;
}

function textOf({ workers, queue, tenants, totals }: ClusterStatus): string {
  const paint = painterFor(process.stdout);
  const rows = workers.map((worker) => [
    worker.name.slice(0, 10),
    worker.host,
    `${worker.running}/${worker.slots}`,
    worker.isDraining ? 'draining' : 'ready',
    worker.languages.map(({ name }) => name).join(','),
    Object.entries(worker.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  ]);
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const oldest = queue.oldestMs === null ? '' : `, the oldest for ${(queue.oldestMs / 1000).toFixed(1)} s`;
  const head = ['worker', 'host', 'running', 'state', 'languages', 'labels'];
  return [
    rows.length === 0 ? 'no worker has announced itself\n' : formatTable(head, rows, paint),
    `\n${count(workers.length, 'worker')}, ${count(slots, 'place')}; ` +
      `${queue.running} jobs run, ${queue.waiting} wait${oldest}\n`,
    tenants.length === 0
      ? ''
      : `\n${formatTable(
          ['tenant', 'jobs'],
          tenants.map(({ tenant, jobs }) => [tenant, `${jobs}`]),
          paint,
        )}`,
    `\nsince their starts: ${totals.accepted} results accepted, ${totals.superseded} superseded, ${totals.lost} jobs lost, ${totals.cancelled} cancelled\n`,
  ].join('');
}
