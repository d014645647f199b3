/** Streamed runs that can be watched, some with their files, by the id that their clients gave them. */
import { FILES_ID_LENGTH_MIN, FILES_ID_PREFIX, SAMPLE_INTERVAL_MS_MIN } from '@sbx/console/wire';
import type { FileCalls, LiveUsage, RunEnding, RunObserver } from '@sbx/core';
import type { Recorder } from './recorder.js';

/** Half of the shortest time between two samples of one watch. */
const READING_MS = SAMPLE_INTERVAL_MS_MIN / 2;

/** A watch: is called at the start of its run, or at once where it runs already, and at the end. */
export interface RunWatcher {
  started(usage: () => LiveUsage): void;
  ended(status: string): void;
}

export class RunningRuns {
  readonly #usages = new Map<string, SharedUsage>();
  /** Of runs whose ids ask for it. */
  readonly #files = new Map<string, FileCalls>();
  readonly #watchers = new Map<string, Set<RunWatcher>>();

  /** Of one protocol, whose runs are counted by `recorder`. */
  observer(recorder: Recorder): RunObserver {
    return {
      onStart: (id, usage, files) => this.#onStart(id, usage, files),
      onEnd: (ending) => {
        recorder.count(ending);
        this.#onEnd(ending);
      },
    };
  }

  /**
   * Resolves nothing, waits for nothing: a run that never comes is never reported. Returns what ends the
   * watch.
   */
  watch(id: string, watcher: RunWatcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    const usage = this.#usages.get(id);
    if (usage !== undefined) watcher.started(usage.read);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
  }

  /** `undefined`: there is no such run now, or its files cannot be reached. */
  filesOf(id: string): FileCalls | undefined {
    return this.#files.get(id);
  }

  #onStart(id: string, usage: () => LiveUsage, files: FileCalls | undefined): void {
    if (id === '') return; // nobody can ask for it
    const shared = new SharedUsage(usage);
    this.#usages.set(id, shared);
    if (files !== undefined && id.startsWith(FILES_ID_PREFIX) && id.length >= FILES_ID_LENGTH_MIN)
      this.#files.set(id, files);
    for (const watcher of this.#watchers.get(id) ?? []) watcher.started(shared.read);
  }

  #onEnd({ id, status }: RunEnding): void {
    const usage = this.#usages.get(id);
    if (usage === undefined) return;
    this.#usages.delete(id);
    this.#files.delete(id);
    usage.forget(); // the last sample is of the end
    for (const watcher of [...(this.#watchers.get(id) ?? [])]) watcher.ended(status);
  }
}

/** What all watchers of a run are told: each reading costs a few system calls, however many they are. */
class SharedUsage {
  readonly #read: () => LiveUsage;
  #last: LiveUsage | null = null;
  #lastAt = 0;

  constructor(read: () => LiveUsage) {
    this.#read = read;
  }

  readonly read = (): LiveUsage => {
    const now = performance.now();
    if (this.#last === null || now - this.#lastAt >= READING_MS) {
      this.#last = this.#read();
      this.#lastAt = now;
    }
    return this.#last;
  };

  forget(): void {
    this.#last = null;
  }
}
