/** Files of a terminal's work folder: what is there, and what can be done with it. */
import { FILE_BYTES_MAX, type FolderItem } from '@sbx/console/wire';
import { useRef, useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../units.js';
import { FileEditor, type OpenFile, openText } from './file-editor.js';
import { downloadName, problemOfName, shownName } from './names.js';
import type { RunFiles } from './run-files.js';
import { TwiceButton } from './twice-button.js';
import { type Files, useFiles } from './use-files.js';

export function FilesPanel({ run }: { run: RunFiles }) {
  const files = useFiles(run);
  const [edited, setEdited] = useState<OpenFile | null>(null);
  const [isOver, setOver] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const { folder, told } = files;

  const open = (path: string) =>
    files.act(`Open ${shownName(path.slice(path.lastIndexOf('/') + 1))}`, async () =>
      setEdited(await openText(run, path)),
    );
  const close = () => {
    setEdited(null);
    heading.current?.focus();
  };
  return (
    <section
      class={`card files${isOver ? ' files-over' : ''}`}
      aria-label="Files"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void files.upload([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Files in {folder === '' ? 'the work folder' : shownName(folder.slice(0, -1))}
      </h2>
      <p class="told" role="status">
        {told}
      </p>
      {edited === null ? (
        <>
          <Additions files={files} run={run} />
          <List
            files={files}
            run={run}
            edit={(name) => void open(folder + name)}
            focus={() => heading.current?.focus()}
          />
        </>
      ) : (
        <FileEditor
          key={edited.openedAt}
          file={edited}
          run={run}
          act={files.act}
          reload={() => void open(edited.path)}
          close={close}
        />
      )}
    </section>
  );
}

/** What puts something into the folder. */
function Additions({ files, run }: { files: Files; run: RunFiles }) {
  const picker = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const make = async (what: string, action: (path: string) => Promise<unknown>) => {
    const isMade = await files.act(`New ${what} ${shownName(name)}`, () => {
      const problem = problemOfName(name);
      return problem === null ? action(files.folder + name) : Promise.reject(new Error(problem));
    });
    if (isMade) setName('');
  };
  return (
    <div class="bar">
      <button type="button" onClick={() => picker.current!.click()}>
        Upload
      </button>
      <input
        type="file"
        multiple
        hidden
        ref={picker}
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          void files.upload([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <span class="hint">or drop files here, {formatBytes(FILE_BYTES_MAX)} each at most</span>
      <label>
        Name
        <input value={name} maxLength={255} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <button type="button" onClick={() => void make('file', (path) => run.create(path))}>
        New file
      </button>
      <button type="button" onClick={() => void make('folder', (path) => run.makeFolder(`${path}/`))}>
        New folder
      </button>
    </div>
  );
}

interface ListProps {
  files: Files;
  run: RunFiles;
  edit(name: string): void;
  /** A row that is deleted takes the focus with it. */
  focus(): void;
}

function List({ files, run, edit, focus }: ListProps) {
  const { folder, listing } = files;
  const parent = folder.replace(/[^/]+\/$/, '');
  return (
    <>
      {folder !== '' && (
        <button type="button" onClick={() => files.open(parent)}>
          Up
        </button>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Size</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {listing.entries.map((item) => (
            <Row key={item.name} {...{ item, files, run, edit, focus }} />
          ))}
        </tbody>
      </table>
      {listing.entries.length === 0 && <p class="hint">Nothing is here</p>}
      {listing.moreCount > 0 && (
        <p class="hint">{formatCount(listing.moreCount)} more are here and not listed</p>
      )}
    </>
  );
}

const KINDS = { file: '', dir: 'folder', symlink: 'link', other: 'no regular file' } as const;

function Row({ item: { name, kind, sizeBytes }, files, run, edit, focus }: ListProps & { item: FolderItem }) {
  const shown = shownName(name);
  const path = files.folder + name;
  const isFolder = kind === 'dir';
  const download = () =>
    files.act(`Download ${shown}`, async () => saveAs((await run.read(path)).content, downloadName(name)));
  const remove = () =>
    files
      .act(`Delete ${shown}`, () => run.remove(isFolder ? `${path}/` : path))
      .then((isGone) => isGone && focus());
  return (
    <tr>
      <th scope="row">
        <bdi>{shown}</bdi>
      </th>
      <td class="size">{kind === 'file' && sizeBytes !== null ? formatBytes(sizeBytes) : KINDS[kind]}</td>
      <td>
        <div class="actions">
          {sizeBytes === null && <span class="hint">Its name is no text</span>}
          {sizeBytes !== null && isFolder && (
            <button type="button" aria-label={`Open ${shown}`} onClick={() => files.open(`${path}/`)}>
              Open
            </button>
          )}
          {sizeBytes !== null && (kind === 'file' || kind === 'symlink') && (
            <>
              <button type="button" aria-label={`Edit ${shown}`} onClick={() => edit(name)}>
                Edit
              </button>
              <button type="button" aria-label={`Download ${shown}`} onClick={() => void download()}>
                Download
              </button>
            </>
          )}
          {sizeBytes !== null && (
            <TwiceButton title="Delete" again="Really delete" name={shown} onClick={() => void remove()} />
          )}
        </div>
      </td>
    </tr>
  );
}

function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may still ask where to
}
