/** One program: source, input, limits; output, verdict and figures while it runs. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import { useState } from 'preact/hooks';
import type { LiveSnapshot } from '../live.js';
import type { Server } from '../server.js';
import { formatBytes, formatMs } from '../units.js';
import { Editor } from './editor.js';
import { Inputs, Limits } from './fields.js';
import { Output } from './output.js';
import { Plot } from './plot.js';
import { linkOf, type RunRequest } from './request.js';
import { codeFor, FORMS, type Form } from './request-code.js';
import { useRun } from './use-run.js';
import type { Verdict } from './verdict.js';

export interface ViewProps {
  server: Server;
  live: LiveSnapshot;
  request: RunRequest;
  change(part: Partial<RunRequest>): void;
  /** Changes when the program has come from outside. */
  revision: number;
}

export function languageFor({ hello }: LiveSnapshot, { language }: RunRequest): ConsoleLanguage | undefined {
  return hello?.languages.find(({ name }) => name === language);
}

export function RunView({ server, live, request, change, revision }: ViewProps) {
  const { state, start, stop } = useRun(server);
  const language = languageFor(live, request);
  const protocols = live.hello?.protocols ?? [];
  const protocol = request.protocol === 'fathom' && language?.fathom ? 'fathom' : 'gojudge';
  const usable = {
    ...request,
    protocol: protocols.includes(protocol) ? protocol : request.protocol,
  } as RunRequest;
  const isReady = language !== undefined && live.state === 'open';
  const run = () => {
    if (isReady) void start(usable, language);
  };
  return (
    <div class="columns">
      <section aria-label="Program">
        <div class="bar">
          <LanguagePicker
            live={live}
            language={request.language}
            onPick={(chosen) => change({ language: chosen })}
          />
          <label>
            through
            <select
              value={usable.protocol}
              onChange={(event) => change({ protocol: event.currentTarget.value as RunRequest['protocol'] })}
            >
              <option value="gojudge" disabled={!protocols.includes('gojudge')}>
                go-judge
              </option>
              <option value="fathom" disabled={!protocols.includes('fathom') || !language?.fathom}>
                Fathom
              </option>
            </select>
          </label>
          {state.isRunning ? (
            <button type="button" class="stop" onClick={stop}>
              Stop
            </button>
          ) : (
            <button
              type="button"
              class="run"
              onClick={run}
              disabled={!isReady}
              title="Ctrl+Enter in the editor"
            >
              Run
            </button>
          )}
        </div>
        <Editor
          key={revision}
          label="Program"
          language={request.language}
          value={request.code}
          onChange={(code) => change({ code })}
          onRun={run}
        />
        <Inputs request={usable} change={change} />
        <Limits request={usable} change={change} />
        {language !== undefined && <Copies request={usable} language={language} />}
      </section>
      <section aria-label="Result">
        <VerdictLine verdict={state.verdict} isRunning={state.isRunning} />
        <Output {...state.output} />
        <Plot
          samples={state.samples}
          limits={{
            cpuTimeMs: usable.protocol === 'fathom' ? null : usable.cpuTimeMs,
            memoryMib: usable.memoryMib,
          }}
        />
      </section>
    </div>
  );
}

interface LanguagePickerProps extends Pick<ViewProps, 'live'> {
  language: string;
  onPick(language: string): void;
}

export function LanguagePicker({ live, language, onPick }: LanguagePickerProps) {
  const languages = live.hello?.languages ?? [];
  return (
    <label>
      Language
      <select value={language} onChange={(event) => onPick(event.currentTarget.value)}>
        {languages.map(({ name, title, version }) => (
          <option value={name}>{version === null ? title : `${title} ${version}`}</option>
        ))}
      </select>
    </label>
  );
}

function VerdictLine({ verdict, isRunning }: { verdict: Verdict | null; isRunning: boolean }) {
  if (isRunning)
    return (
      <p class="verdict" role="status">
        Running …
      </p>
    );
  if (verdict === null)
    return (
      <p class="verdict" role="status">
        Not run yet
      </p>
    );
  const { kind, text, cpuTimeMs, wallTimeMs, memoryBytes } = verdict;
  const figures = [
    cpuTimeMs !== null && `CPU ${formatMs(cpuTimeMs)}`,
    wallTimeMs !== null && `wall ${formatMs(wallTimeMs)}`,
    memoryBytes !== null && `memory ${formatBytes(memoryBytes)}`,
  ].filter(Boolean);
  return (
    <p class={`verdict verdict-${kind}`} role="status">
      <strong>{text}</strong>
      {figures.length > 0 && <span class="figures">{figures.join(' · ')}</span>}
    </p>
  );
}

function Copies({ request, language }: { request: RunRequest; language: ConsoleLanguage }) {
  const [form, setForm] = useState<Form>('curl');
  const [told, setTold] = useState('');
  const code = codeFor(form, request, language, location.origin);
  const copy = (text: string, what: string) =>
    navigator.clipboard.writeText(text).then(
      () => setTold(`${what} copied`),
      () => setTold('The browser did not allow to copy'),
    );
  return (
    <details>
      <summary>As a request, as a link</summary>
      <div class="bar">
        <label>
          as
          <select value={form} onChange={(event) => setForm(event.currentTarget.value as Form)}>
            {FORMS.map((name) => (
              <option>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => copy(code, form)}>
          Copy
        </button>
        <button type="button" onClick={() => copy(`${location.origin}/#${linkOf(request)}`, 'The link')}>
          Copy a link
        </button>
        <span role="status">{told}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="code" tabIndex={0} aria-label="Request">
        <pre>{code}</pre>
      </section>
    </details>
  );
}
