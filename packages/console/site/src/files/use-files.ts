/** The files of a folder of a run, as the panel has them: looked at again and again, and changed. */
import type { FolderListing } from '@sbx/console/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOfName, shownName } from './names.js';
import type { RunFiles } from './run-files.js';

const LOOK_MS = 2000;
const UPLOADS_MAX = 100;
const NOTHING: FolderListing = { entries: [], moreCount: 0 };

export interface Files {
  /** Empty, or ends with a slash. */
  folder: string;
  listing: FolderListing;
  /** What happened last. */
  told: string;
  open(folder: string): void;
  /** Says what it is about, then how it ended. */
  act(what: string, action: () => Promise<unknown>): Promise<boolean>;
  upload(files: readonly File[]): Promise<void>;
}

export function useFiles(files: RunFiles): Files {
  const [folder, setFolder] = useState('');
  const [listing, setListing] = useState(NOTHING);
  const [told, setTold] = useState('');
  const shown = useRef(folder);
  shown.current = folder;

  const look = () =>
    files.list(folder).then(
      (found) => {
        if (shown.current === folder) setListing(found);
      },
      (error: Error) => {
        if (shown.current !== folder) return;
        setTold(error.message);
        if (folder !== '') setFolder(''); // it is gone, or something else has its name now
      },
    );
  useEffect(() => {
    setListing(NOTHING);
    void look();
    const timer = setInterval(() => {
      if (!document.hidden) void look();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [files, folder]);

  async function act(what: string, action: () => Promise<unknown>): Promise<boolean> {
    setTold(`${what} …`);
    try {
      await action();
      setTold(`${what}: done`);
      return true;
    } catch (error) {
      setTold(`${what}: ${(error as Error).message}`);
      return false;
    } finally {
      await look();
    }
  }

  async function upload(given: readonly File[]): Promise<void> {
    if (given.length > UPLOADS_MAX) return setTold(`Upload: at most ${UPLOADS_MAX} files at once`);
    const failures: string[] = [];
    for (const [at, file] of given.entries()) {
      setTold(`Uploading ${at + 1} of ${given.length}: ${shownName(file.name)} …`);
      const problem = problemOfName(file.name);
      const write =
        problem === null ? files.write(folder + file.name, file) : Promise.reject(new Error(problem));
      await write.catch((error: Error) => failures.push(`${shownName(file.name)}: ${error.message}`));
    }
    await look();
    setTold([`${given.length - failures.length} of ${given.length} uploaded`, ...failures].join('. '));
  }

  return { folder, listing, told, open: setFolder, act, upload };
}
