/** The engine: what runs, how fast, how it ended, what is guaranteed. */
import type { FiguresMessage, Guarantee, ProtocolFigures } from '@sbx/console/wire';
import type { LiveSnapshot } from '../live.js';
import { formatBytes, formatCount } from '../units.js';
import { Bars } from './bars.js';
import { RatePlot } from './rate-plot.js';
import { endedWithin, latenciesWithin, ratesOf } from './window.js';
import { Workers } from './workers.js';

export function EngineView({ live: { hello, cluster, history } }: { live: LiveSnapshot }) {
  const now = history.at(-1);
  if (hello === null || now === undefined) return <p>Waiting for the first figures …</p>;
  const { bounds } = hello;
  return (
    <>
      {cluster === null && (
        <p class="hint">
          sbx {hello.version}, Linux {hello.kernel}, cgroup {hello.cgroup}, as {hello.user};{' '}
          {bounds.parallelism} one-shot runs and {bounds.maxSandboxes} sandboxes at once, {bounds.queueLength}{' '}
          may wait.
        </p>
      )}
      <Figures now={now} before={history.at(-2)} isHere={cluster === null} />
      {cluster !== null && <Workers cluster={cluster} />}
      <section class="card">
        <h2>Programs started a second</h2>
        <RatePlot history={history} />
      </section>
      <div class="columns">
        {Object.entries(now.protocols).map(([name, figures]) => (
          <ProtocolCard name={name} first={history[0]?.protocols[name]} last={figures} />
        ))}
      </div>
      <section class="card">
        <h2>Guarantees{cluster !== null && ' of every worker'}</h2>
        <Guarantees guarantees={(cluster ?? hello).guarantees} />
      </section>
    </>
  );
}

interface FiguresProps {
  now: FiguresMessage;
  before: FiguresMessage | undefined;
  /** Programs run on the server's machine. */
  isHere: boolean;
}

function Figures({ now, before, isHere }: FiguresProps) {
  const { startedPerSecond, cpus } = ratesOf(before, now);
  const { engine, usage } = now;
  const rows: [string, string][] = [
    ...(isHere ? [['ready', formatCount(engine.ready)] as [string, string]] : []),
    [isHere ? 'in use' : 'sent', formatCount(engine.sandboxes)],
    ['waiting', formatCount(engine.waiting)],
    ['started/s', startedPerSecond.toFixed(1)],
    ['CPUs', cpus === null ? 'not counted' : cpus.toFixed(2)],
    ['memory', usage.memoryBytes === null ? 'not counted' : formatBytes(usage.memoryBytes)],
    ['started', formatCount(engine.startedTotal)],
    ['refused', formatCount(engine.refusedTotal)],
  ];
  return (
    <dl class="tiles">
      {rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const TITLES = new Map([
  ['gojudge', 'go-judge'],
  ['fathom', 'Fathom'],
  ['mcp', 'MCP'],
]);

function ProtocolCard({
  name,
  first,
  last,
}: {
  name: string;
  first: ProtocolFigures | undefined;
  last: ProtocolFigures;
}) {
  const title = TITLES.get(name) ?? name;
  const ended = endedWithin(first, last);
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="hint">
        {last.active} under way, {last.waiting} waiting; ended in the last minutes:{' '}
        {formatCount(ended.reduce((sum, [, count]) => sum + count, 0))}
      </p>
      <Bars caption={`Verdicts of ${title}`} head={['Verdict', 'Runs']} rows={ended} />
      <Bars
        caption={`Latency of ${title}`}
        head={['Request to end', 'Runs']}
        rows={latenciesWithin(first, last)}
      />
    </section>
  );
}

function Guarantees({ guarantees }: { guarantees: readonly Guarantee[] }) {
  return (
    <ul class="guarantees">
      {guarantees.map(({ name, available, required, mechanism, reason, why, fix }) => (
        <li class={available ? 'holds' : required ? 'missing' : 'optional'}>
          <span class="sign">{available ? 'ok' : required ? 'missing' : 'not here (optional)'}</span>{' '}
          <strong>{name}</strong> {available ? mechanism : reason}
          <br />
          <span class="hint">
            {why}
            {fix !== null && ` Fix: ${fix}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
