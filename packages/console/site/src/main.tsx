/** The page: its views, the state of the connection, the token. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CompareView } from './compare/compare-view.js';
import { EngineView } from './engine/engine-view.js';
import { NoWorkers } from './engine/workers.js';
import { FIRST_SNAPSHOT } from './live.js';
import { FIRST_REQUEST, type RunRequest, requestOf } from './run/request.js';
import { RunView } from './run/run-view.js';
import { openServer, type Server } from './server.js';
import { TerminalView } from './terminal/terminal-view.js';
import { TokenForm } from './token-form.js';

const server = openServer();

const VIEWS = [
  { name: 'run', title: 'Run' },
  { name: 'compare', title: 'Compare' },
  { name: 'terminal', title: 'Terminal' },
  { name: 'engine', title: 'Engine' },
] as const;
type ViewName = (typeof VIEWS)[number]['name'];

const STATES = {
  connecting: 'connecting …',
  open: 'connected',
  lost: 'connection lost, trying again …',
  'needs-token': 'needs a token',
} as const;

function viewOf(hash: string): ViewName {
  return VIEWS.find(({ name }) => hash === `#${name}`)?.name ?? 'run';
}

function App({ server }: { server: Server }) {
  const [live, setLive] = useState(FIRST_SNAPSHOT);
  const [view, setView] = useState<ViewName>(viewOf(location.hash));
  /** Views that hold something stay once they have been looked at. */
  const [visited, setVisited] = useState<ReadonlySet<ViewName>>(new Set([view]));
  const [request, setRequest] = useState<RunRequest>(() => requestOf(location.hash) ?? FIRST_REQUEST);
  /** Counts programs that came by a link. */
  const [revision, setRevision] = useState(0);
  useEffect(() => server.live.subscribe(setLive), []);
  useEffect(() => {
    const onHash = () => {
      const linked = requestOf(location.hash);
      if (linked !== null) {
        setRequest(linked);
        setRevision((before) => before + 1);
      }
      const shown = viewOf(location.hash);
      setView(shown);
      setVisited((before) => new Set([...before, shown]));
    };
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const change = (part: Partial<RunRequest>) => setRequest((before) => ({ ...before, ...part }));
  const shared = { server, live, request, change, revision };
  return (
    <>
      <header>
        <h1>sbx</h1>
        <nav aria-label="Views">
          {VIEWS.map(({ name, title }) => (
            <a href={`#${name}`} aria-current={view === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <p class={`state state-${live.state}`} role="status">
          {STATES[live.state]}
        </p>
      </header>
      <main>
        {live.state === 'needs-token' ? (
          <TokenForm onToken={(token) => server.enter(token)} />
        ) : (
          <>
            <NoWorkers cluster={live.cluster} />
            {/* It stays: a program goes on while another view is looked at. */}
            <div hidden={view !== 'run'}>
              <RunView {...shared} />
            </div>
            <div hidden={view !== 'compare'}>{visited.has('compare') && <CompareView {...shared} />}</div>
            <div hidden={view !== 'terminal'}>{visited.has('terminal') && <TerminalView {...shared} />}</div>
            {view === 'engine' && <EngineView live={live} />}
          </>
        )}
      </main>
    </>
  );
}

render(<App server={server} />, document.getElementById('app')!);
