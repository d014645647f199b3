/** What a grader does, and whoever looks for the faster program: one on many inputs, or many on one. */
import { useState } from 'preact/hooks';
import { languageFor, type ViewProps } from '../run/run-view.js';
import { casesOf } from './cases.js';
import { gradeCases } from './grade.js';
import { ProgramsView } from './programs-view.js';
import { Results } from './results.js';
import { StartBar } from './start-bar.js';
import { Text } from './text.js';
import { useGrading } from './use-grading.js';

const FIRST_CASES = '1 2\n--- expected\n3\n--- case\n20 22\n--- expected\n42\n';
const WAYS = [
  { name: 'inputs', title: 'one program on many inputs' },
  { name: 'programs', title: 'several programs on one input' },
] as const;

export function CompareView(props: ViewProps) {
  const [way, setWay] = useState<(typeof WAYS)[number]['name']>('inputs');
  return (
    <>
      <fieldset class="ways">
        <legend>Compare</legend>
        {WAYS.map(({ name, title }) => (
          <label>
            <input type="radio" name="way" checked={way === name} onChange={() => setWay(name)} /> {title}
          </label>
        ))}
      </fieldset>
      {/* Both stay: what was typed, and what runs. */}
      <div hidden={way !== 'inputs'}>
        <InputsView {...props} />
      </div>
      <div hidden={way !== 'programs'}>
        <ProgramsView {...props} />
      </div>
    </>
  );
}

function InputsView({ server, live, request }: ViewProps) {
  const [text, setText] = useState(FIRST_CASES);
  const grading = useGrading(server);
  const cases = casesOf(text);
  const language = languageFor(live, request);
  return (
    <>
      <p class="hint">
        The program, its language and its limits are those of <a href="#run">Run</a>; the inputs are here. A
        line <code>--- case</code> begins the next one, <code>--- expected</code> what it must print.
      </p>
      <Text label="Cases" rows={8} value={text} change={setText} />
      <StartBar
        grading={grading}
        title={`Run ${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`}
        isReady={language !== undefined && live.state === 'open'}
        onStart={() =>
          void grading.start(cases.length, (parts) =>
            gradeCases(parts, { request, language: language! }, cases),
          )
        }
      />
      <Results head="Case" results={grading.results} />
    </>
  );
}
