import { expect, it } from 'vitest';
import { DEFAULT_LIMITS, resolveLimits } from '../options/limits.js';
import { diskOf, filterMayKill, isStrict, makeSandboxSpec, onDemand } from './sandbox-spec.js';

const LIMITS = resolveLimits(DEFAULT_LIMITS);
const PARTS = {
  loopback: false,
  strict: false,
  seccompKill: false,
  terminal: false,
  diskBytes: 0,
  diskFileCount: 0,
};

it('two sandboxes are interchangeable when all that is fixed when they are made is equal', () => {
  const variants = [
    {},
    { loopback: true },
    { strict: true },
    { seccompKill: true },
    { terminal: true },
    { diskBytes: 1 },
    { diskFileCount: 1 },
    { loopback: true, strict: true },
  ];
  const keys = variants.map((variant) => makeSandboxSpec({ ...PARTS, ...variant }).key);
  expect(new Set(keys).size).toBe(variants.length);
  expect(makeSandboxSpec({ ...PARTS }).key).toBe(makeSandboxSpec({ ...PARTS }).key);
});

it('one made on demand is no other’s, and the slot goes on with an ordinary one', () => {
  const spec = makeSandboxSpec(PARTS);
  const one = onDemand(spec);
  expect(new Set([spec.key, one.key, onDemand(spec).key]).size).toBe(3);
  expect(one.nextSpec).toBe(spec);
});

it('no limit of the disk is 0 for the kernel, and the top folder takes a place', () => {
  const limits = { ...LIMITS, diskBytes: null, diskFileCount: null };
  expect(diskOf(limits)).toEqual({ diskBytes: Number.MAX_SAFE_INTEGER, diskFileCount: 0 });
  expect(diskOf({ ...limits, diskBytes: 10, diskFileCount: 5 })).toEqual({ diskBytes: 10, diskFileCount: 6 });
});

it('a run’s word on the filter counts before the engine’s', () => {
  expect(isStrict(undefined)).toBe(false);
  expect(isStrict('strict')).toBe(true);
  expect(isStrict('strict', 'default')).toBe(false);
  expect(isStrict('default', 'strict')).toBe(true);
  expect(isStrict({ base: 'strict' } as never)).toBe(true);
});

it('SIGSYS may be the filter’s where it kills, and where the caller has a policy', () => {
  expect(filterMayKill({}, { seccompKill: false })).toBe(false);
  expect(filterMayKill({}, { seccompKill: true })).toBe(true);
  expect(filterMayKill({ seccomp: {} as never }, { seccompKill: false })).toBe(true);
});
