/** What a run comes back with. */
import { failure } from './errors.js';
import { figuresOf, type RunFigures } from './request.js';
import { type FileCalls, StoredFile } from './stored-file.js';
import type { WireFileError, WireResult, WireStatus } from './wire/index.js';

/** How one program ended. Owns the files that it left on the server: dispose it, or take them out. */
export class RunOutcome implements AsyncDisposable {
  /** As on the wire. */
  readonly wire: WireResult;
  /** As on the wire: `'Accepted'`, `'Time Limit Exceeded'` and so on. */
  readonly status: WireStatus;
  /** `status === 'Accepted'`. */
  readonly ok: boolean;
  /** Exit code, or number of the signal. */
  readonly exitStatus: number;
  /** What the server says beyond the status; `null` when nothing. */
  readonly error: string | null;
  /** Time and memory, in ms and bytes. */
  readonly figures: RunFigures;
  /**
   * Collected and copied files as text, by name. Bytes that are no UTF-8 are lost here: use `copyOutCached`
   * for those.
   */
  readonly files: Readonly<Record<string, string>>;
  /** Files that could not be put in, taken out or collected. */
  readonly fileErrors: readonly WireFileError[];
  readonly #stored: Map<string, StoredFile>;

  /** @internal */
  static make(calls: FileCalls, wire: WireResult): RunOutcome {
    return new RunOutcome(calls, wire);
  }

  private constructor(calls: FileCalls, wire: WireResult) {
    this.wire = wire;
    this.status = wire.status;
    this.ok = wire.status === 'Accepted';
    this.exitStatus = wire.exitStatus;
    this.error = wire.error ?? null;
    this.figures = figuresOf(wire);
    this.files = byName(Object.entries(wire.files ?? {}));
    this.fileErrors = wire.fileError ?? [];
    this.#stored = new Map(
      Object.entries(wire.fileIds ?? {}).map(([name, id]) => [name, StoredFile.make(calls, id)]),
    );
  }

  /** Files of `copyOutCached`, by name, without those taken out. */
  get stored(): Readonly<Record<string, StoredFile>> {
    return byName(this.#stored);
  }

  /** `files.stdout`, empty when it was not collected. */
  get stdout(): string {
    return this.files.stdout ?? '';
  }

  /** `files.stderr`, empty when it was not collected. */
  get stderr(): string {
    return this.files.stderr ?? '';
  }

  /**
   * A file of `copyOutCached`, which is the caller's to delete from now on: a compiler's output outlives its
   * run.
   */
  take(name: string): StoredFile {
    const file = this.#stored.get(name);
    if (file === undefined) {
      const message = `There is no stored file "${name}" of this run: ${this.#whyNotStored(name)}.`;
      throw failure('GOJUDGE_REQUEST', message);
    }
    this.#stored.delete(name);
    return file;
  }

  #whyNotStored(name: string): string {
    const found = this.fileErrors.find((error) => error.name === name);
    if (found !== undefined) return found.message ?? found.type;
    return `name it in copyOutCached, and take it once (status: ${this.status})`;
  }

  /** Deletes what is left on the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#stored.values()].map((file) => file[Symbol.asyncDispose]()));
  }
}

/** Without a prototype: names are the program's, and `toString` has an entry only when it is one of them. */
function byName<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** Deletes what runs that nobody will look at left on the server. */
export async function disposeAll(outcomes: Iterable<RunOutcome | undefined>): Promise<void> {
  await Promise.all([...outcomes].map((outcome) => outcome?.[Symbol.asyncDispose]()));
}

/** @internal One for each of `count` programs. Throws `GOJUDGE_PROTOCOL` when there are more or fewer. */
export function outcomesOf(calls: FileCalls, results: readonly WireResult[], count: number): RunOutcome[] {
  if (results.length === count) return results.map((result) => RunOutcome.make(calls, result));
  const message = `The server answered with ${results.length} results for ${count} programs.`;
  throw failure('GOJUDGE_PROTOCOL', message);
}
