/**
 * Original names by id; for a folder that stays, in a journal, so that they survive a restart. Others may
 * write to that folder: nothing is read or written through a link of theirs.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

type Line = { id: string; name: string };

/** Up to here a journal is not made anew, however much of it is of files that are gone. */
const JOURNAL_LENGTH_MIN = 2 ** 20;

export class StoredNames {
  readonly #names = new Map<string, string>();
  readonly #path: string | null;
  #journal: FileHandle | null = null;
  /** Characters of the journal, and how many it may have. */
  #length = 0;
  #lengthMax = 0;
  /** Its last line may not be whole: there was no space. */
  #isCut = false;
  /** The last change of the journal, which has one after another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string | null) {
    this.#path = path;
  }

  /** Without a path they live in memory alone. */
  static async open(path: string | null): Promise<StoredNames> {
    const names = new StoredNames(path);
    if (path !== null) names.#load(await readJournal(path).catch(() => ''));
    return names;
  }

  get(id: string): string | undefined {
    return this.#names.get(id);
  }

  async set(id: string, name: string): Promise<void> {
    this.#names.set(id, ownText(name));
    const path = this.#path;
    if (path === null) return;
    const written = this.#last.then(() => this.#append(path, lineOf([id, name])));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async delete(id: string): Promise<void> {
    this.#names.delete(id); // its line goes with the journal that it is in
  }

  /** Forgets all others and begins a new journal. */
  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    for (const id of this.#names.keys()) if (!ids.has(id)) this.#names.delete(id);
    if (this.#path !== null) await this.#rewrite(this.#path);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#journal?.close();
    this.#journal = null;
  }

  /** Files come and go without end: a journal that is mostly of those that went is made anew. */
  async #append(path: string, line: string): Promise<void> {
    if (this.#length > this.#lengthMax) await this.#rewrite(path);
    const text = this.#isCut ? `\n${line}` : line;
    this.#length += text.length;
    this.#isCut = true;
    await this.#journal?.appendFile(text);
    this.#isCut = false;
  }

  async #rewrite(path: string): Promise<void> {
    const text = [...this.#names].map(lineOf).join('');
    const journal = await newJournal(path, text);
    await this.#journal?.close();
    this.#journal = journal;
    this.#isCut = false;
    this.#length = text.length;
    this.#lengthMax = Math.max(JOURNAL_LENGTH_MIN, 2 * text.length);
  }

  /** A line that was cut off, by a crash or for space, is skipped. */
  #load(text: string): void {
    for (const line of text.split('\n')) {
      try {
        const { id, name } = JSON.parse(line) as Line;
        if (typeof id === 'string' && typeof name === 'string') this.#names.set(id, name);
      } catch {
        // not a whole line
      }
    }
  }
}

/** `''` of what is no regular file. */
async function readJournal(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return (await file.stat()).isFile() ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** In the place of the one before, open for what comes. */
async function newJournal(path: string, text: string): Promise<FileHandle> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true }); // left by a crash, or put there
  const file = await open(unfinished, 'ax');
  try {
    await file.writeFile(text);
    await rename(unfinished, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function lineOf([id, name]: readonly [string, string]): string {
  return `${JSON.stringify({ id, name })}\n`;
}

/** What V8 cuts out of a text keeps the whole of it: here a request, for as long as the file is stored. */
function ownText(cut: string): string {
  return Buffer.from(cut).toString();
}
