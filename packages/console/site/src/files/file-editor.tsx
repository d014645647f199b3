/** A text file of the work folder in the editor. */
import { useRef, useState } from 'preact/hooks';
import { Editor } from '../run/editor.js';
import { formatBytes } from '../units.js';
import { shownName } from './names.js';
import { FileChanged, type RunFiles } from './run-files.js';
import { TwiceButton } from './twice-button.js';
import type { Files } from './use-files.js';

export interface OpenFile {
  name: string;
  path: string;
  text: string;
  /** Of the state that was opened. */
  mark: string | null;
  openedAt: number;
}

/** Beyond, a page would be slow. */
const TEXT_BYTES_MAX = 2 ** 20;

const LANGUAGE_BY_ENDING = new Map([
  ['c', 'c'],
  ['h', 'c'],
  ['cc', 'cpp'],
  ['cpp', 'cpp'],
  ['go', 'go'],
  ['java', 'java'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['ts', 'javascript'],
  ['py', 'python'],
  ['rs', 'rust'],
  ['sh', 'shell'],
]);

/** Throws why it cannot be edited. */
export async function openText(run: RunFiles, path: string): Promise<OpenFile> {
  const { content, mark } = await run.read(path);
  if (content.size > TEXT_BYTES_MAX) {
    const [got, most] = [content.size, TEXT_BYTES_MAX].map(formatBytes);
    throw new Error(`It has ${got}; the editor takes ${most} at most: download it`);
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { path, name, text: textOf(await content.arrayBuffer()), mark, openedAt: performance.now() };
}

function textOf(bytes: ArrayBuffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // as below
  }
  throw new Error('It is no text in UTF-8: download it');
}

interface FileEditorProps {
  file: OpenFile;
  run: RunFiles;
  act: Files['act'];
  reload(): void;
  close(): void;
}

export function FileEditor({ file: { name, path, text, mark }, run, act, reload, close }: FileEditorProps) {
  const [now, setNow] = useState(text);
  const [saved, setSaved] = useState(text);
  const [hasChanged, setChanged] = useState(false);
  const known = useRef(mark);
  const shown = shownName(name);
  const save = (over: string | null) =>
    act(`Save ${shown}`, async () => {
      try {
        known.current = await run.write(path, new Blob([now]), over);
        setSaved(now);
        setChanged(false);
      } catch (error) {
        if (error instanceof FileChanged) setChanged(true);
        throw error;
      }
    });
  const keep = () => void save(known.current);
  return (
    <>
      <div class="bar">
        <bdi>{shown}</bdi>
        <button type="button" onClick={keep} disabled={now === saved} title="Ctrl+Enter in the editor">
          Save
        </button>
        {now === saved ? (
          <button type="button" onClick={close}>
            Close
          </button>
        ) : (
          <TwiceButton title="Close" again="Close without saving" name={shown} onClick={close} />
        )}
      </div>
      {hasChanged && (
        <div class="bar" role="alert">
          <span>{shown} has changed since it was opened here.</span>
          <button type="button" onClick={() => void save(null)}>
            Overwrite it
          </button>
          <button type="button" onClick={reload}>
            Reload it, dropping what is here
          </button>
        </div>
      )}
      <Editor
        isFile
        label={`Content of ${shown}`}
        language={LANGUAGE_BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1)) ?? ''}
        value={text}
        onChange={setNow}
        onRun={keep}
      />
    </>
  );
}
