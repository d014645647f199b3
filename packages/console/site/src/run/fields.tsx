/** Fields of a request: limits with their units, arguments, files. */
import { NUMBERS, type RunRequest } from './request.js';

interface FieldsProps {
  request: RunRequest;
  change(change: Partial<RunRequest>): void;
}

/** What Fathom has no field for. */
const NOT_OF_FATHOM: readonly string[] = ['cpuTimeMs', 'processCount'];

export function Limits({ request, change }: FieldsProps) {
  return (
    <fieldset class="limits">
      <legend>Limits</legend>
      {NUMBERS.map(({ name, label, unit, min, max }) => (
        <label>
          {label}
          {unit !== '' && ` (${unit})`}
          <input
            type="number"
            min={min}
            max={max}
            value={request[name]}
            disabled={request.protocol === 'fathom' && NOT_OF_FATHOM.includes(name)}
            onInput={(event) => {
              const value = event.currentTarget.valueAsNumber;
              if (Number.isInteger(value) && value >= min && value <= max) change({ [name]: value });
            }}
          />
        </label>
      ))}
    </fieldset>
  );
}

export function Inputs({ request, change }: FieldsProps) {
  const { stdin, args, files } = request;
  const setFile = (at: number, part: Partial<RunRequest['files'][number]>) =>
    change({ files: files.map((file, index) => (index === at ? { ...file, ...part } : file)) });
  return (
    <div class="inputs">
      <label>
        stdin
        <textarea
          rows={3}
          spellcheck={false}
          value={stdin}
          onInput={(event) => change({ stdin: event.currentTarget.value })}
        />
      </label>
      {request.protocol === 'gojudge' && (
        <details>
          <summary>Arguments and files</summary>
          <label>
            Arguments, one a line
            <textarea
              rows={2}
              spellcheck={false}
              value={args}
              onInput={(event) => change({ args: event.currentTarget.value })}
            />
          </label>
          {files.map((file, index) => (
            <div class="file">
              <label>
                File name
                <input
                  value={file.name}
                  onInput={(event) => setFile(index, { name: event.currentTarget.value })}
                />
              </label>
              <label>
                Content
                <textarea
                  rows={2}
                  value={file.text}
                  onInput={(event) => setFile(index, { text: event.currentTarget.value })}
                />
              </label>
              <button type="button" onClick={() => change({ files: files.filter((_, at) => at !== index) })}>
                Remove
              </button>
            </div>
          ))}
          <button
            type="button"
            disabled={files.length >= 16}
            onClick={() => change({ files: [...files, { name: `file${files.length + 1}.txt`, text: '' }] })}
          >
            Add a file
          </button>
        </details>
      )}
    </div>
  );
}
