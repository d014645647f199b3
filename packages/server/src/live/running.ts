/** Streamed runs that can be watched, by the id that their clients gave them. */
import type { LiveUsage, RunEnding, RunObserver } from '@sbx/core';
import type { Recorder } from './recorder.js';

/** A watch: is called at the start of its run, or at once where it runs already, and at the end. */
export interface RunWatcher {
  started(usage: () => LiveUsage): void;
  ended(status: string): void;
}

export class RunningRuns {
  readonly #usages = new Map<string, () => LiveUsage>();
  readonly #watchers = new Map<string, Set<RunWatcher>>();

  /** Of one protocol, whose runs are counted by `recorder`. */
  observer(recorder: Recorder): RunObserver {
    return {
      onStart: (id, usage) => this.#onStart(id, usage),
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

  #onStart(id: string, usage: () => LiveUsage): void {
    if (id === '') return; // nobody can ask for it
    this.#usages.set(id, usage);
    for (const watcher of this.#watchers.get(id) ?? []) watcher.started(usage);
  }

  #onEnd({ id, status }: RunEnding): void {
    if (!this.#usages.delete(id)) return;
    for (const watcher of [...(this.#watchers.get(id) ?? [])]) watcher.ended(status);
  }
}
