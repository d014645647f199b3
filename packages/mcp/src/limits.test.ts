import { InvalidOptionsError } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { resolveLimits } from './limits.js';

const MiB = 2 ** 20;
const GiB = 2 ** 30;

describe('limits and ceilings', () => {
  it('are ours where the operator says nothing', () => {
    expect(resolveLimits({})).toMatchObject({
      limits: { memoryBytes: 512 * MiB, processCount: 128 },
      ceilings: { memoryBytes: 2 * GiB, outputBytes: 8 * MiB, diskFileCount: 65_536 },
    });
    const unsaid = { limits: { memoryBytes: undefined }, ceilings: { outputBytes: undefined } };
    expect(resolveLimits(unsaid)).toEqual(resolveLimits({}));
  });

  it('one ceiling leaves the others', () => {
    const { ceilings } = resolveLimits({ ceilings: { wallTimeMs: 5000 } });
    expect(ceilings).toMatchObject({ wallTimeMs: 5000, memoryBytes: 2 * GiB, outputBytes: 8 * MiB });
  });

  it('make room for what the operator says of the other', () => {
    const { limits } = resolveLimits({ ceilings: { memoryBytes: 256 * MiB, processCount: null } });
    expect(limits).toEqual({ memoryBytes: 256 * MiB, processCount: 128 });
    const { ceilings } = resolveLimits({ limits: { memoryBytes: 4 * GiB, wallTimeMs: null } });
    expect(ceilings).toMatchObject({ memoryBytes: 4 * GiB, wallTimeMs: null, cpuTimeMs: 300_000 });
  });

  it.each([
    [{ limits: { memoryMB: 5 } }, 'options.limits.memoryMB'],
    [{ ceilings: { memoryByte: 5 * MiB } }, 'options.ceilings.memoryByte'],
    [{ ceilings: { memoryBytes: '5' } }, 'options.ceilings.memoryBytes'],
    [{ limits: { wallTimeMs: 2000 }, ceilings: { wallTimeMs: 1000 } }, 'options.limits.wallTimeMs'],
    [{ limits: { wallTimeMs: null }, ceilings: { wallTimeMs: 1000 } }, 'options.limits.wallTimeMs'],
  ])('%j is refused', (options, field) => {
    const refused = expect(() => resolveLimits(options as object));
    refused.toThrow(InvalidOptionsError);
    refused.toThrow(expect.objectContaining({ field }));
  });
});
