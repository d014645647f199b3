/** One program on many inputs, as a grader sees it: verdict, figures and the first difference of each. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import { useRef, useState } from 'preact/hooks';
import { Bars } from '../engine/bars.js';
import { languageFor, type ViewProps } from '../run/run-view.js';
import { formatBytes, formatMs } from '../units.js';
import { type Case, casesOf } from './cases.js';
import { type CaseResult, grade } from './grade.js';

const FIRST_CASES = '1 2\n--- expected\n3\n--- case\n20 22\n--- expected\n42\n';

export function CompareView({ server, live, request }: ViewProps) {
  const [text, setText] = useState(FIRST_CASES);
  const [results, setResults] = useState<readonly (CaseResult | null)[]>([]);
  const [told, setTold] = useState('');
  const controller = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const cases = casesOf(text);
  const language = languageFor(live, request);

  async function run(chosen: ConsoleLanguage, wanted: readonly Case[]): Promise<void> {
    const stop = new AbortController();
    controller.current = stop;
    setRunning(true);
    setTold('');
    setResults(wanted.map(() => null));
    const onResult = (at: number, result: CaseResult) =>
      setResults((before) => before.map((one, index) => (index === at ? result : one)));
    const problem = await grade({
      server,
      request,
      language: chosen,
      cases: wanted,
      signal: stop.signal,
      onResult,
    });
    setTold(problem ?? '');
    setRunning(false);
  }

  const done = results.filter((one) => one !== null);
  return (
    <>
      <p class="hint">
        The program, its language and its limits are those of <a href="#run">Run</a>; the inputs are here. A
        line <code>--- case</code> begins the next one, <code>--- expected</code> what it must print.
      </p>
      <label>
        Cases
        <textarea
          rows={8}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="bar">
        {isRunning ? (
          <button type="button" class="stop" onClick={() => controller.current?.abort()}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="run"
            disabled={language === undefined || live.state !== 'open'}
            onClick={() => void run(language!, cases)}
          >
            Run {cases.length} {cases.length === 1 ? 'case' : 'cases'}
          </button>
        )}
        <span role="status">{told || progressOf(results)}</span>
      </div>
      {results.length > 0 && <Results results={results} />}
      <Bars
        caption="CPU time of each case, in ms"
        head={['Case', 'ms']}
        rows={done.map(({ name, cpuTimeMs }): [string, number] => [name, Math.round(cpuTimeMs)])}
      />
    </>
  );
}

/** `2 of 3 right`, and while some are under way how many. */
function progressOf(results: readonly (CaseResult | null)[]): string {
  if (results.length === 0) return '';
  const done = results.filter((one) => one !== null);
  const right = done.filter(({ isRight }) => isRight).length;
  const left = results.length - done.length;
  return left > 0 ? `${right} right, ${left} to go` : `${right} of ${results.length} right`;
}

function Results({ results }: { results: readonly (CaseResult | null)[] }) {
  return (
    <table class="results">
      <caption>Results</caption>
      <thead>
        <tr>
          {['Case', 'Verdict', 'CPU', 'Wall', 'Memory', 'Difference'].map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {results.map((result, at) =>
          result === null ? (
            <tr>
              <th scope="row">{at + 1}</th>
              <td colSpan={5}>…</td>
            </tr>
          ) : (
            <tr class={result.isRight ? 'right' : 'wrong'}>
              <th scope="row">{result.name}</th>
              <td>{result.verdict}</td>
              <td>{formatMs(result.cpuTimeMs)}</td>
              <td>{formatMs(result.wallTimeMs)}</td>
              <td>{formatBytes(result.memoryBytes)}</td>
              <td>{result.difference !== null && <Difference {...result.difference} />}</td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

function Difference({ line, expected, got }: NonNullable<CaseResult['difference']>) {
  return (
    <>
      line {line}: <del>{got}</del> <ins>{expected}</ins>
    </>
  );
}
