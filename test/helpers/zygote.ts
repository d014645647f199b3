// The helper of an engine made to die, and kept from coming back.
import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS, Engine, type EngineOptions } from '@sbx/core';
import { engineOptions } from './engine.js';
import { expectNothingLeft, settledFootprint } from './leaks.js';
import { descendants } from './proc.mjs';
import { until } from './wait.js';

export const zygotes = () =>
  descendants().filter((row) => row.name === 'sbx-zygote' && row.parent === process.pid);

/** Of every engine of this process. */
export function killZygote(): void {
  for (const { pid } of zygotes()) process.kill(pid, 'SIGKILL');
}

/** Resolves the moment that an engine learns of the death of its helper. */
export function nextLoss(): Promise<void> {
  return new Promise((resolve) => {
    const heard = () => {
      channel('sbx:helper:lost').unsubscribe(heard);
      resolve();
    };
    channel('sbx:helper:lost').subscribe(heard);
  });
}

export const restarted = (engine: Engine, count: number) =>
  until(10_000, `restart ${count}`, () => engine.isReady && engine.counters().helperRestartsTotal === count);

/** An engine whose helper finds its root only while `block` has not taken a folder of it away. */
export interface BlockableEngine {
  engine: Engine;
  /** What is missing then. */
  source: string;
  block(): void;
  unblock(): void;
}

export async function withBlockableEngine(
  options: EngineOptions,
  use: (blockable: BlockableEngine) => Promise<void>,
): Promise<void> {
  const source = mkdtempSync(join(tmpdir(), 'sbx-blockable-'));
  const away = `${source}.away`;
  const before = await settledFootprint();
  const data = { kind: 'bind', source, target: '/data' } as const;
  const engine = await Engine.open(engineOptions({ ...options, mounts: [...DEFAULT_MOUNTS, data] }));
  const info = engine.info();
  const block = () => renameSync(source, away);
  const unblock = () => renameSync(away, source);
  try {
    await use({ engine, source, block, unblock });
  } finally {
    await engine.close();
    for (const folder of [source, away]) rmSync(folder, { recursive: true, force: true });
    await expectNothingLeft(before, info);
  }
}
