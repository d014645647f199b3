import { DEFAULT_LIMITS } from '@sbx/core';
import { expect, test } from 'vitest';
import { LIMIT_FLAGS, limitsFrom } from './limit-flags.js';

test('every limit of core has a flag', () => {
  const limits = LIMIT_FLAGS.map((row) => row.limit);
  expect([...limits].sort()).toEqual(Object.keys(DEFAULT_LIMITS).sort());
});

test('only what was given is set, and none lifts', () => {
  expect(limitsFrom({})).toEqual({});
  const given = {
    cpuTime: '1s',
    memory: '256MiB',
    wallTime: 'none',
    cpuRate: '0.5',
    cpuSet: '0-1',
    processes: '8',
  };
  expect(limitsFrom(given)).toEqual({
    cpuTimeMs: 1000,
    memoryBytes: 268_435_456,
    wallTimeMs: null,
    cpuRate: 0.5,
    cpuSet: '0-1',
    processCount: 8,
  });
});

test('errors name the short form of the flag', () => {
  expect(() => limitsFrom({ cpuTime: '1' })).toThrow(/^--cpu: /);
  expect(() => limitsFrom({ memory: '1' })).toThrow(/^--memory: /);
});
