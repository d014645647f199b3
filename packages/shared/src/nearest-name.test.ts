import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from './nearest-name.js';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['sdtin', 'stdin', 1],
    ['same', 'same', 0],
  ])('%j to %j is %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });
});

describe('nearestName', () => {
  const names = [
    'cpuTimeMs',
    'wallTimeMs',
    'memoryBytes',
    'stdin',
    'stdout',
    'env',
    'url',
    'token',
    'timeoutMs',
    'layout',
  ];

  it.each([
    ['cpuTimems', 'cpuTimeMs'],
    ['CPUTIMEMS', 'cpuTimeMs'],
    ['cpuTime', 'cpuTimeMs'],
    ['memory', 'memoryBytes'],
    ['sdtin', 'stdin'],
    ['environment', null],
    ['std', null],
    ['zzz', null],
    ['tokn', 'token'],
    ['timeoutMS', 'timeoutMs'],
    ['layuot', 'layout'],
    ['x'.repeat(65), null],
    ['', null],
    ['x'.repeat(100_000), null],
  ])('%j means %j', (word, name) => {
    expect(nearestName(word, names)).toBe(name);
  });

  it('suggests nothing at a distance', () => {
    expect(nearestName('ruby', ['rust', 'python'])).toBe(null);
  });
});
