/** Several programs on one input: which are right, and what each costs. */
import { useRef, useState } from 'preact/hooks';
import { Editor } from '../run/editor.js';
import { LanguagePicker, languageFor, type ViewProps } from '../run/run-view.js';
import { gradePrograms } from './grade.js';
import { Results } from './results.js';
import { StartBar } from './start-bar.js';
import { Text } from './text.js';
import { useGrading } from './use-grading.js';

interface Entry {
  /** Of the page, so that an editor keeps its text when one before it goes. */
  id: number;
  name: string;
  language: string;
  code: string;
}

const PROGRAMS_MAX = 8;

export function ProgramsView({ server, live, request }: ViewProps) {
  const nextId = useRef(1);
  const entryOfRun = (): Entry => {
    const id = nextId.current++;
    return { id, name: String(id), language: request.language, code: request.code };
  };
  const [entries, setEntries] = useState<readonly Entry[]>(() => [entryOfRun()]);
  const [stdin, setStdin] = useState(request.stdin);
  const [expected, setExpected] = useState('');
  const grading = useGrading(server);
  const set = (id: number, part: Partial<Entry>) =>
    setEntries((before) => before.map((one) => (one.id === id ? { ...one, ...part } : one)));
  const programs = entries.flatMap(({ name, language: chosen, code }) => {
    const own = { ...request, language: chosen, code };
    const language = languageFor(live, own);
    return language === undefined ? [] : [{ name, request: own, language }];
  });
  return (
    <>
      <p class="hint">
        Arguments, files and limits are those of <a href="#run">Run</a>. Programs run one after the other, so
        that none slows another down.
      </p>
      <div class="columns">
        {entries.map((entry) => (
          <Program
            key={entry.id}
            {...{ entry, live }}
            isOnly={entries.length === 1}
            change={(part) => set(entry.id, part)}
            remove={() => setEntries((before) => before.filter(({ id }) => id !== entry.id))}
          />
        ))}
      </div>
      <div class="bar">
        <button
          type="button"
          disabled={entries.length >= PROGRAMS_MAX}
          onClick={() => setEntries((before) => [...before, entryOfRun()])}
        >
          Add the program of Run
        </button>
      </div>
      <div class="columns">
        <Text label="Input" rows={4} value={stdin} change={setStdin} />
        <Text label="Expected output (empty: any)" rows={4} value={expected} change={setExpected} />
      </div>
      <StartBar
        grading={grading}
        title={`Run ${programs.length} ${programs.length === 1 ? 'program' : 'programs'}`}
        isReady={programs.length > 0 && live.state === 'open'}
        onStart={() =>
          void grading.start(programs.length, (parts) =>
            gradePrograms(parts, programs, { stdin, expected: expected === '' ? null : expected }),
          )
        }
      />
      <Results head="Program" results={grading.results} />
    </>
  );
}

interface ProgramProps extends Pick<ViewProps, 'live'> {
  entry: Entry;
  isOnly: boolean;
  change(part: Partial<Entry>): void;
  remove(): void;
}

function Program({ entry, live, isOnly, change, remove }: ProgramProps) {
  return (
    <section aria-label={`Program ${entry.name}`}>
      <div class="bar">
        <strong>{entry.name}</strong>
        <LanguagePicker live={live} language={entry.language} onPick={(language) => change({ language })} />
        <button type="button" disabled={isOnly} onClick={remove} aria-label={`Remove program ${entry.name}`}>
          Remove
        </button>
      </div>
      <Editor
        label={`Program ${entry.name}`}
        language={entry.language}
        value={entry.code}
        onChange={(code) => change({ code })}
      />
    </section>
  );
}
