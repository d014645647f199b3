// The least, and the most, that a limit can be is a verdict on the program, never a failure of ours.
import { describe, expect, it } from 'vitest';
import { KiB, t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

describe('memory', () => {
  it.each([4, 16, 64])('%i KiB: memory-limit, often before its first instruction', async (size) => {
    for (let i = 0; i < 10; i++) {
      const { status, exitSignal, exitCode } = await sbx.engine.run('/bin/true', [], {
        limits: { memoryBytes: size * KiB },
      });
      expect(status).toBe('memory-limit');
      expect([exitSignal, exitCode]).toEqual(exitSignal === null ? [null, 0] : ['SIGKILL', null]);
    }
    expect((await sbx.engine.run(t('true'))).status).toBe('ok');
  });

  it.each([4, 256, 4096])(
    'hundreds with %i KiB, one after the other: no sandbox is lost in the making',
    async (size) => {
      const limits = { memoryBytes: size * KiB };
      for (let i = 0; i < 300; i++) {
        const { status } = await sbx.engine.run('/bin/true', [], { limits });
        expect(['memory-limit', 'ok']).toContain(status);
      }
    },
  );

  it('the same for one that would need much', async () => {
    const limits = { memoryBytes: 4 * KiB };
    const { status, exitSignal } = await sbx.engine.run(t('hold-memory'), ['private', '1000000'], { limits });
    expect([status, exitSignal]).toEqual(['memory-limit', 'SIGKILL']);
  });

  it('and in a group', async () => {
    const program = { file: '/bin/true', limits: { memoryBytes: 4 * KiB, dataBytes: null } };
    const { results } = await sbx.engine.runGroup({ programs: [program, { file: t('true') }] });
    expect(results.map(({ status }) => status)).toEqual(['memory-limit', 'ok']);
  });
});

describe('time', () => {
  it.each([
    ['wall', { wallTimeMs: 0.001 }, 'wall-limit'],
    ['CPU', { cpuTimeMs: 0.001 }, 'cpu-limit'],
  ] as const)('a microsecond of %s', async (_, limits, status) => {
    const result = await sbx.engine.run(t('sleep-ms'), ['1000'], { limits });
    expect(result.status).toBe(status);
    expect(result.usage.wallTimeMs).toBeLessThan(500); // it did not sleep to its end
  });
});

describe('data', () => {
  it('none: a program with some dies in exec', async () => {
    const { status, exitSignal } = await sbx.engine.run('/bin/true', [], { limits: { dataBytes: 0 } });
    expect([status, exitSignal]).toEqual(['signal', 'SIGSEGV']);
  });
});

it.each(['run', 'session'])('as many processes as the kernel has numbers for: %s', async (how) => {
  const limits = { processCount: 4_194_304 };
  if (how === 'run') expect((await sbx.engine.run(t('true'), [], { limits })).status).toBe('ok');
  else {
    await using sandbox = await sbx.engine.createSandbox({ limits });
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  }
});
