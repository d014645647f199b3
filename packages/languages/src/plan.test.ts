import { DEFAULT_ENV } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { runCode } from './index.js';
import { TOLD_MEMORY_MOUNTS } from './memory-limit-files.js';
import { FakeEngine } from './testing/fake-engine.js';

const MiB = 2 ** 20;

async function runStep(language: string, options: object, facts = {}) {
  const engine = new FakeEngine(() => ({ files: { main: '', 'main.js': '', 'main.jar': '' } }), facts);
  await runCode({ language, code: '', engine, ...options });
  return engine.calls.at(-1)!;
}

describe('limits', () => {
  test("the caller's win over the language's", async () => {
    const { options } = await runStep('javascript', { limits: { processCount: 20, cpuTimeMs: undefined } });
    expect(options.limits).toEqual({ processCount: 20 });
  });

  test("the language's are lowered to the engine's ceilings, the caller's are not", async () => {
    const ceilings = { processCount: 10 };
    expect((await runStep('java', {}, { ceilings })).options.limits).toEqual({ processCount: 10 });
    const asked = await runStep('java', { limits: { processCount: 11 } }, { ceilings });
    expect(asked.options.limits).toEqual({ processCount: 11 });
  });
});

describe('runtimes are told the memory limit', () => {
  test.each([
    ['javascript', { memoryBytes: 256 * MiB }, '--max-old-space-size=256'],
    ['javascript', { memoryBytes: MiB }, '--max-old-space-size=8'],
    ['typescript', { memoryBytes: 128 * MiB }, '--max-old-space-size=128'],
    ['java', { memoryBytes: 300 * MiB }, '-Xmx300m'],
  ])('%s with %j', async (language, limits, flag) => {
    expect((await runStep(language, { limits })).args).toContain(flag);
  });

  test('without one there is no flag', async () => {
    const { args } = await runStep('javascript', { limits: { memoryBytes: null } });
    expect(args).toEqual(['main.js']);
  });

  test.each([64 * MiB, 256 * MiB, 2048 * MiB])(
    'Node with %j finds it in files where there are such',
    async (memoryBytes) => {
      const call = await runStep('javascript', { limits: { memoryBytes } }, { mounts: TOLD_MEMORY_MOUNTS });
      expect(call.args).toEqual(['main.js']);
      expect(call.options.files).toMatchObject({
        '/sys/fs/cgroup/memory.max': `${memoryBytes}\n`,
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${memoryBytes}\n`,
      });
    },
  );

  test('no files without a limit, and none for what does not read them', async () => {
    const facts = { mounts: TOLD_MEMORY_MOUNTS };
    const unlimited = await runStep('javascript', { limits: { memoryBytes: null } }, facts);
    expect([unlimited.args, Object.keys(unlimited.options.files!)]).toEqual([['main.js'], ['main.js']]);
    const other = await runStep('python', { limits: { memoryBytes: 64 * MiB } }, facts);
    expect(Object.keys(other.options.files!)).toEqual(['main.py']);
  });

  test("the engine's default counts when the caller gives none", async () => {
    const { args } = await runStep('java', {}, { limits: { memoryBytes: 99 * MiB } });
    expect(args).toContain('-Xmx99m');
  });

  test('Go is told by its environment', async () => {
    const { options } = await runStep('go', { limits: { memoryBytes: 100_000 } });
    expect(options.env).toMatchObject({ GOMEMLIMIT: '90000' });
  });
});

test("the environment is core's, then the language's, then the caller's", async () => {
  const { options } = await runStep('elixir', { env: { HOME: '/w', MINE: '1' } });
  expect(options.env).toMatchObject({
    PATH: DEFAULT_ENV.PATH,
    ERL_CRASH_DUMP: '/dev/null',
    HOME: '/w',
    MINE: '1',
  });
});

test('the TypeScript compile step brings its transformer into the sandbox', async () => {
  const engine = new FakeEngine(() => ({ files: { 'main.js': '' } }));
  await runCode({ language: 'ts', code: '', engine });
  const { files } = engine.calls[0]!.options;
  expect(Object.keys(files!)).toEqual(['main.ts', '.sbx/transpile.cjs', '.sbx/transformer.cjs']);
  expect(files!['.sbx/transformer.cjs']).toHaveProperty('hostFile');
});
