/** Verdicts and figures of what was compared, as a table, as bars, and with their differences. */
import { Bars } from '../engine/bars.js';
import { formatBytes, formatMs } from '../units.js';
import { DiffView } from './diff-view.js';
import type { GradeResult } from './grade.js';

interface ResultsProps {
  /** What a row is. */
  head: 'Case' | 'Program';
  /** `null`: under way, or yet to come. */
  results: readonly (GradeResult | null)[];
}

const MIB = 2 ** 20;

export function Results({ head, results }: ResultsProps) {
  if (results.length === 0) return null;
  const done = results.filter((one) => one !== null);
  const rowsOf = (figure: (result: GradeResult) => number) =>
    done.map((result): [string, number] => [result.name, figure(result)]);
  const verdicts = new Map<string, number>();
  for (const { status } of done) verdicts.set(status, (verdicts.get(status) ?? 0) + 1);
  const of = head.toLowerCase();
  return (
    <>
      <Table head={head} results={results} />
      {done.map(
        ({ name, diff }) => diff !== null && <DiffView name={`${of} ${name}`} lines={diff} key={name} />,
      )}
      <div class="columns">
        <Bars caption="Verdicts" head={['Verdict', `${head}s`]} rows={[...verdicts]} />
        <Bars
          caption={`CPU time of each ${of}`}
          head={[head, 'ms']}
          rows={rowsOf(({ cpuTimeMs }) => Math.round(cpuTimeMs))}
        />
        <Bars
          caption={`Wall time of each ${of}`}
          head={[head, 'ms']}
          rows={rowsOf(({ wallTimeMs }) => Math.round(wallTimeMs))}
        />
        <Bars
          caption={`Memory of each ${of}`}
          head={[head, 'MiB']}
          rows={rowsOf(({ memoryBytes }) => Math.round((memoryBytes / MIB) * 10) / 10)}
        />
      </div>
    </>
  );
}

function Table({ head, results }: ResultsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="wide" tabIndex={0} aria-label="All results">
      <table class="results">
        <caption>Results</caption>
        <thead>
          <tr>
            {[head, 'Verdict', 'CPU', 'Wall', 'Memory', 'First difference'].map((title) => (
              <th scope="col">{title}</th>
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
    </section>
  );
}

function Difference({ line, expected, got }: NonNullable<GradeResult['difference']>) {
  return (
    <>
      line {line}: <del>{got}</del> <ins>{expected}</ins>
    </>
  );
}
