import { Engine } from '@sbx/core';

/** An engine for one command: one run at a time, nothing kept ready for a next one. */
export function openEngine(allowDegraded = false): Promise<Engine> {
  return Engine.open({ parallelism: 1, readyCount: 0, ...(allowDegraded ? { require: [] } : {}) });
}
