/** Streamed runs that can be watched, some with their files, by the id that their clients gave them. */
import { FILES_ID_LENGTH_MIN, FILES_ID_PREFIX } from '@sbx/console/wire';
import type { FileCalls, LiveUsage, RunEnding, RunObserver } from '@sbx/core';
import type { Recorder } from './recorder.js';

/** A watch: is called at the start of its run, or at once where it runs already, and at the end. */
export interface RunWatcher {
  started(usage: () => LiveUsage): void;
  ended(status: string): void;
}

export class RunningRuns {
  readonly #usages = new Map<string, () => LiveUsage>();
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
    if (usage !== undefined) watcher.started(usage);
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
    this.#usages.set(id, usage);
    if (files !== undefined && id.startsWith(FILES_ID_PREFIX) && id.length >= FILES_ID_LENGTH_MIN)
      this.#files.set(id, files);
    for (const watcher of this.#watchers.get(id) ?? []) watcher.started(usage);
  }

  #onEnd({ id, status }: RunEnding): void {
    if (!this.#usages.delete(id)) return;
    this.#files.delete(id);
    for (const watcher of [...(this.#watchers.get(id) ?? [])]) watcher.ended(status);
  }
}
