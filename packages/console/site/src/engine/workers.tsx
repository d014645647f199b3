/** The workers of a cluster. What they say of themselves becomes text nodes, with nothing invisible in it. */
import type { ClusterMessage, WorkerFigures } from '@sbx/console/wire';
import { literal } from '../run/visible.js';
import { formatCount, formatMs } from '../units.js';

/** Told on every view: programs wait then. */
export function NoWorkers({ cluster }: { cluster: ClusterMessage | null }) {
  if (cluster === null || cluster.workers.some(({ isDraining }) => !isDraining)) return null;
  return (
    <p class="notice" role="status">
      No worker of the cluster takes jobs: programs wait until one comes. To start one:{' '}
      <code>sbx worker --nats URL</code>
    </p>
  );
}

export function Workers({ cluster }: { cluster: ClusterMessage }) {
  const { workers, workerCount, queue } = cluster;
  const active = workers.filter(({ isDraining }) => !isDraining);
  const sum = (of: (worker: WorkerFigures) => number) => active.reduce((all, one) => all + of(one), 0);
  return (
    <section class="card">
      <h2>Workers</h2>
      <p class="hint">
        {formatCount(sum(({ running }) => running))} of {formatCount(sum(({ slots }) => slots))} places taken.{' '}
        {queueInWords(queue)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Workers of the cluster">
        <table>
          <caption>{workerCount === 0 ? 'None has announced itself' : 'Those of the last 15 s'}</caption>
          <thead>
            <tr>
              {['Worker', 'Places', 'State', 'Languages', 'Labels', 'Version', 'Guarantees'].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <Row worker={worker} key={worker.name} />
            ))}
          </tbody>
        </table>
      </section>
      {workerCount > workers.length && <p class="hint">and {workerCount - workers.length} more</p>}
      <p class="hint">
        Of a cluster CPU time and memory of all sandboxes together are not counted; those of a run come four
        times a second. MCP is not served: its sandboxes are of one machine.
      </p>
    </section>
  );
}

function queueInWords(queue: ClusterMessage['queue']): string {
  if (queue === null) return 'The queue is not known: the broker has not answered.';
  const { waiting, running, oldestMs } = queue;
  const oldest = oldestMs === null ? '' : `, the oldest for ${formatMs(oldestMs)}`;
  return `At the broker ${formatCount(running)} jobs run, ${formatCount(waiting)} wait${oldest}.`;
}

function Row({ worker }: { worker: WorkerFigures }) {
  const { name, host, slots, running, isDraining, languages, labels, version } = worker;
  const words = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return (
    <tr>
      <th scope="row">
        {literal(host)} <span class="hint">{literal(name).slice(0, 10)}</span>
      </th>
      <td>
        {running}/{slots}
      </td>
      <td>{isDraining ? 'draining' : 'ready'}</td>
      <td>{literal(languages.join(', '))}</td>
      <td>{literal(words.join(', '))}</td>
      <td>{literal(version)}</td>
      <td>
        <Missing missing={worker.missing} />
      </td>
    </tr>
  );
}

function Missing({ missing }: Pick<WorkerFigures, 'missing'>) {
  if (missing.length === 0) return <>all</>;
  const isDegraded = missing.some(({ required }) => required);
  const names = missing.map(({ name, reason }) => (reason === null ? name : `${name} (${reason})`));
  return (
    <details>
      <summary>{isDegraded ? 'degraded' : `all but ${missing.length} optional`}</summary>
      {literal(names.join('; '))}
    </details>
  );
}
