import { Engine, type EngineOptions } from '@sbx/core';

/** An engine for one command: one run at a time, nothing kept ready for a next one. */
export function openEngine(
  allowDegraded = false,
  toolchains: readonly string[] = [],
  root: EngineOptions['root'] = 'host',
): Promise<Engine> {
  const options = { parallelism: 1, readyCount: 0, toolchains, root };
  return Engine.open({ ...options, ...(allowDegraded ? { require: [] } : {}) });
}
