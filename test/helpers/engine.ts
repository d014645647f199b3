// Engines for tests: the default root plus the test programs at /t, closed and checked for leaks after use.
import { DEFAULT_MOUNTS, Engine, type EngineOptions } from '@sbx/core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { buildPrograms } from '../programs/build.mjs';
import { checkLeaks, expectNothingLeft, type Footprint, settledFootprint } from './leaks.js';

/** Path inside the sandbox of a program of `test/programs`. */
export const t = (name: string) => `/t/${name}`;

export const MiB = 2 ** 20;
export const KiB = 2 ** 10;

export function engineOptions(options: EngineOptions = {}): EngineOptions {
  const programs = { kind: 'bind', source: buildPrograms(), target: '/t', executable: true } as const;
  return { ...options, mounts: [...(options.mounts ?? DEFAULT_MOUNTS), programs] };
}

/** Opens an engine, hands it to `use`, closes it, and fails if anything is left. */
export async function withEngine<T>(options: EngineOptions, use: (engine: Engine) => Promise<T>): Promise<T> {
  const before = await settledFootprint();
  const engine = await Engine.open(engineOptions(options));
  const info = engine.info();
  try {
    return await use(engine);
  } finally {
    await engine.close();
    await expectNothingLeft(before, info);
  }
}

/** One engine for the tests of a file; after each test it must be quiet, at the end nothing may be left. */
export function useEngine(options: EngineOptions = {}): { readonly engine: Engine } {
  let engine: Engine | undefined;
  let before: Footprint | undefined;
  beforeAll(async () => {
    const opened = engineOptions(options);
    before = await settledFootprint();
    engine = await Engine.open(opened);
  }, 60_000); // the programs may have to be compiled first
  afterEach(() => checkLeaks(engine!, before!));
  afterAll(async () => {
    const info = engine!.info();
    await engine!.close();
    await expectNothingLeft(before!, info);
  });
  return {
    get engine() {
      return engine!;
    },
  };
}
