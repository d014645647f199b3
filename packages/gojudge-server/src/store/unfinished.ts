/**
 * Files on their way into a store. Another server may use the same folder, on another machine too, or be the
 * one that this one takes over from: theirs have other names, and are not taken for what a crash left.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './ids.js';

/** A file that is being written changes more often. */
const LEFT_AFTER_MS = 300_000;

export class Unfinished {
  readonly #folder: string;
  readonly #prefix = `tmp-${newId()}`;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of a file that there is not. */
  nextPath(): string {
    this.#count += 1;
    return join(this.#folder, `${this.#prefix}-${this.#count}`);
  }

  async removeLeft(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith('tmp-')) continue;
      const path = join(this.#folder, name);
      const changedMs = await lstat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      if (Date.now() - changedMs > LEFT_AFTER_MS) await rm(path, { force: true });
    }
  }
}
