import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import type { Limits } from '../types/limits.js';
import { checkRule, checkTable } from './check.js';
import {
  checkCeilings,
  DEFAULT_LIMITS,
  engineLimits,
  LIMIT_NAMES,
  LIMIT_RANGES,
  LIMITS_TABLE,
  PROGRAM_LIMITS_RULE,
  type ResolvedLimits,
  resolveLimits,
} from './limits.js';

const pathOf = (limits: unknown) => checkTable(limits, LIMITS_TABLE)?.path;

it('a limit without its unit is recognised', () => {
  expect(checkTable({ memory: 1 }, LIMITS_TABLE)?.hint).toBe('Did you mean memoryBytes?');
});

describe('defaults', () => {
  it('are frozen, legal, and what types/limits.ts says', () => {
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
    expect(checkTable(DEFAULT_LIMITS, LIMITS_TABLE)).toBeNull();
    expect(DEFAULT_LIMITS).toEqual({
      cpuTimeMs: 10_000,
      wallTimeMs: 30_000,
      memoryBytes: 268_435_456,
      processCount: 64,
      outputBytes: 1_048_576,
      fileBytes: 67_108_864,
      openFileCount: 256,
      stackBytes: 67_108_864,
      addressSpaceBytes: null,
      dataBytes: null,
      diskBytes: 134_217_728,
      diskFileCount: 16_384,
      cpuRate: null,
      cpuWeight: null,
      cpuSet: null,
    });
  });

  it('cover every limit that has a rule', () => {
    expect([...LIMITS_TABLE.rules.keys()].sort()).toEqual([...LIMIT_NAMES].sort());
  });
});

describe.each(Object.entries(LIMIT_RANGES))('range of %s', (name, { min, max, integer, reason }) => {
  it('takes both ends and null', () => {
    for (const value of [min, max, null, undefined]) expect(pathOf({ [name]: value })).toBeUndefined();
  });

  it('refuses what is beyond, odd or not a number', () => {
    const beyond = [min - 0.001, max * 1.001 + 1, Number.NaN, Number.POSITIVE_INFINITY, -1, '1', 5n, {}, []];
    for (const value of integer ? [...beyond, min + 0.5] : beyond) {
      expect(pathOf({ [name]: value }), String(value)).toBe(`.${name}`);
    }
  });

  it('gives its reason', () => {
    expect(reason).toMatch(/\.$/);
  });
});

it('times and the rate alone may have a fraction', () => {
  const fractions = LIMIT_NAMES.filter((name) => pathOf({ [name]: 262_144.5 }) === undefined);
  const largeRate = pathOf({ cpuRate: 1.5 });
  expect([fractions, largeRate]).toEqual([['cpuTimeMs', 'wallTimeMs'], undefined]);
});

describe('limits of a program in a standing sandbox', () => {
  it.each(['diskBytes', 'diskFileCount'])('%s is refused, since it could only be ignored', (name) => {
    expect(checkRule({ [name]: 8192 }, PROGRAM_LIMITS_RULE)).toMatchObject({
      path: `.${name}`,
      rule: 'not-here',
    });
    expect(checkRule({ [name]: null }, PROGRAM_LIMITS_RULE)?.rule).toBe('not-here');
    expect(checkRule({ [name]: undefined }, PROGRAM_LIMITS_RULE)).toBeNull();
  });

  it('all others are legal', () => {
    const { diskBytes: _bytes, diskFileCount: _count, ...others } = DEFAULT_LIMITS;
    expect(checkRule(others, PROGRAM_LIMITS_RULE)).toBeNull();
  });
});

describe('resolveLimits', () => {
  const base = resolveLimits(DEFAULT_LIMITS);

  it('decides every limit', () => {
    expect(Object.keys(base).sort()).toEqual([...LIMIT_NAMES].sort());
  });

  it('undefined inherits, null lifts, later layers win', () => {
    const merged = resolveLimits(
      base,
      { cpuTimeMs: 1, wallTimeMs: 2, memoryBytes: null },
      undefined,
      { cpuTimeMs: undefined, wallTimeMs: 3 },
      { memoryBytes: 2 ** 20 },
    );
    expect([merged.cpuTimeMs, merged.wallTimeMs, merged.memoryBytes]).toEqual([1, 3, 2 ** 20]);
    expect(resolveLimits(base, { memoryBytes: null }).memoryBytes).toBeNull();
  });

  it('merges each limit', () => {
    for (const name of LIMIT_NAMES) {
      const value = name === 'cpuSet' ? '0' : 1;
      const expected = name === 'cpuSet' ? [0] : 1;
      expect(resolveLimits(base, { [name]: value })).toEqual({ ...base, [name]: expected });
      expect(resolveLimits(resolveLimits(base, { [name]: value }), {})).toEqual({
        ...base,
        [name]: expected,
      });
    }
  });

  it('reads a CPU set, also from the base', () => {
    expect(resolveLimits(base, { cpuSet: '3,0-1' }).cpuSet).toEqual([0, 1, 3]);
    expect(resolveLimits({ ...DEFAULT_LIMITS, cpuSet: '1' }).cpuSet).toEqual([1]);
    expect(resolveLimits(base, { cpuSet: '1' }, { cpuSet: null }).cpuSet).toBeNull();
  });

  it('gives back the base when there is nothing to merge, and never changes it', () => {
    const frozen: ResolvedLimits = Object.freeze({ ...base });
    expect(resolveLimits(frozen)).toBe(frozen);
    expect(resolveLimits(frozen, undefined)).toBe(frozen);
    expect(resolveLimits(frozen, { cpuTimeMs: 1 })).not.toBe(frozen);
  });
});

describe('ceilings', () => {
  const ceilings: Limits = { memoryBytes: 2 ** 28, cpuTimeMs: 1000, cpuSet: '0-3', wallTimeMs: null };

  it.each<[Limits]>([
    [{}],
    [{ memoryBytes: 2 ** 28, cpuTimeMs: 1000, cpuSet: '1,3' }],
    [{ wallTimeMs: null }],
    [{ wallTimeMs: 9e9 }],
    [{ diskBytes: null }],
    [{ memoryBytes: undefined }],
  ])('lets %j pass', (limits) => {
    expect(() => checkCeilings(limits, ceilings)).not.toThrow();
  });

  it.each<[Limits, string, string]>([
    [{ memoryBytes: 2 ** 28 + 1 }, 'memoryBytes', 'the number 268435457'],
    [{ memoryBytes: null }, 'memoryBytes', 'null (no limit)'],
    [{ cpuTimeMs: 1000.1 }, 'cpuTimeMs', 'the number 1000.1'],
    [{ cpuSet: '3-4' }, 'cpuSet', 'the string "3-4"'],
    [{ cpuSet: null }, 'cpuSet', 'null (no limit)'],
  ])('refuses %j', (limits, name, got) => {
    expect(() => checkCeilings(limits, ceilings)).toThrow(InvalidOptionsError);
    expect(() => checkCeilings(limits, ceilings)).toThrow(
      expect.objectContaining({ field: `options.limits.${name}`, rule: 'ceiling', got }),
    );
  });

  it('does nothing without limits or ceilings', () => {
    expect(() => checkCeilings(undefined, ceilings)).not.toThrow();
    expect(() => checkCeilings({ memoryBytes: null }, undefined)).not.toThrow();
  });

  it('names the argument it is told', () => {
    expect(() => checkCeilings({ cpuTimeMs: null }, ceilings, 'request.programs[1].limits')).toThrow(
      'request.programs[1].limits.cpuTimeMs must be at most 1000, the ceiling of this engine',
    );
  });
});

describe('engineLimits', () => {
  it('without options are the defaults', () => {
    expect(engineLimits(undefined, undefined)).toEqual(resolveLimits(DEFAULT_LIMITS));
  });

  it('lowers a default that nobody asked for to the ceiling', () => {
    const limits = engineLimits({ wallTimeMs: 500 }, { memoryBytes: 2 ** 24, cpuRate: 1, cpuSet: '0-1' });
    expect(limits).toMatchObject({ wallTimeMs: 500, memoryBytes: 2 ** 24, cpuRate: 1, cpuSet: [0, 1] });
  });

  it('takes no weight for an ordinary one', () => {
    expect(engineLimits(undefined, { cpuWeight: 200 }).cpuWeight).toBeNull();
    expect(engineLimits(undefined, { cpuWeight: 50 }).cpuWeight).toBe(50);
    expect(() => checkCeilings({ cpuWeight: null }, { cpuWeight: 200 })).not.toThrow();
    expect(() => checkCeilings({ cpuWeight: null }, { cpuWeight: 50 })).toThrow(/cpuWeight/);
    expect(() => checkCeilings({ cpuWeight: 201 }, { cpuWeight: 200 })).toThrow(/cpuWeight/);
  });

  it('leaves a default below its ceiling', () => {
    expect(engineLimits(undefined, { memoryBytes: 2 ** 40, cpuTimeMs: null }).memoryBytes).toBe(2 ** 28);
  });

  it('refuses limits above the ceilings beside them', () => {
    expect(() => engineLimits({ cpuTimeMs: 2 }, { cpuTimeMs: 1 })).toThrow(
      expect.objectContaining({ field: 'options.limits.cpuTimeMs', rule: 'ceiling' }),
    );
  });
});
