/** Tells when one of some files is another than before. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Editors write a file in several steps, and save several files at once. */
const CALM_MS = 100;

export class FileChanges {
  readonly #paths: readonly string[];
  readonly #watchers: readonly FSWatcher[];
  #timer: NodeJS.Timeout | undefined;
  #before = '';
  #change = new AbortController();

  constructor(paths: readonly string[]) {
    this.#paths = paths.map((path) => resolve(path));
    // Folders: many editors put a new file in the place of the old one, which a watch on the file would not
    // see.
    const folders = new Set(this.#paths.map((path) => dirname(path)));
    this.#watchers = [...folders].map((folder) => watch(folder, () => this.#lookSoon()));
  }

  /** A signal that aborts when a file differs from what it is now. */
  next(): AbortSignal {
    this.#before = this.#state();
    this.#change = new AbortController();
    return this.#change.signal;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #lookSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#state() !== this.#before) this.#change.abort();
    }, CALM_MS);
  }

  #state(): string {
    return this.#paths.map(stateOf).join('\n');
  }
}

/** One that cannot be looked at, whatever is in its way, is as good as none. */
function stateOf(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'none';
  }
}
