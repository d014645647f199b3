/** Original names by id; for a folder that stays, in a journal, so that they survive a restart. */
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';

type Line = { id: string; name: string };

export class StoredNames {
  readonly #names = new Map<string, string>();
  readonly #path: string | null;
  #journal: FileHandle | null = null;

  private constructor(path: string | null) {
    this.#path = path;
  }

  /** Without a path they live in memory alone. */
  static async open(path: string | null): Promise<StoredNames> {
    const names = new StoredNames(path);
    if (path !== null) names.#load(await readFile(path, 'utf8').catch(() => ''));
    return names;
  }

  get(id: string): string | undefined {
    return this.#names.get(id);
  }

  async set(id: string, name: string): Promise<void> {
    this.#names.set(id, ownText(name));
    await this.#journal?.appendFile(`${JSON.stringify({ id, name })}\n`);
  }

  async delete(id: string): Promise<void> {
    this.#names.delete(id); // its line goes at the next start
  }

  /** Forgets all others and begins a new journal. */
  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    for (const id of this.#names.keys()) if (!ids.has(id)) this.#names.delete(id);
    if (this.#path === null) return;
    const lines = [...this.#names].map(([id, name]) => `${JSON.stringify({ id, name })}\n`);
    await writeFile(`${this.#path}.new`, lines.join(''));
    await rename(`${this.#path}.new`, this.#path);
    this.#journal = await open(this.#path, 'a');
  }

  async close(): Promise<void> {
    await this.#journal?.close();
    this.#journal = null;
  }

  /** A line that was cut off by a crash is skipped. */
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

/** What V8 cuts out of a text keeps the whole of it: here a request, for as long as the file is stored. */
function ownText(cut: string): string {
  return Buffer.from(cut).toString();
}
