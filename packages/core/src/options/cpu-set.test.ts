import { formatCpuList } from '@sbx/shared';
import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { checkCpuSet, parseCpuSet } from './cpu-set.js';

describe('CPU sets', () => {
  it.each([
    ['0', [0], '0'],
    ['0-1,3', [0, 1, 3], '0-1,3'],
    ['3,0-1', [0, 1, 3], '0-1,3'],
    ['1,1,0-2', [0, 1, 2], '0-2'],
    [' 0 , 2-3 ', [0, 2, 3], '0,2-3'],
    ['8191', [8191], '8191'],
  ])('%j reads as %j', (text, cpus, canonical) => {
    expect(checkCpuSet(text)).toBeNull();
    expect(parseCpuSet(text)).toEqual(cpus);
    expect(formatCpuList(cpus)).toBe(canonical);
  });

  it('takes all CPUs that a kernel can have', () => {
    expect(parseCpuSet('0-8191')).toHaveLength(8192);
  });

  it.each([
    '',
    ' ',
    ',',
    '0,',
    '-1',
    '1-',
    '2-1',
    '0-8192',
    '99999',
    '1.5',
    '0x1',
    'all',
    '0-1-2',
    '0\0',
    '0-7:1/2',
    '0-8191,0-8191',
    '0,'.repeat(5000),
  ])('refuses %j', (text) => {
    expect(checkCpuSet(text)?.rule).toBe('format');
    expect(() => parseCpuSet(text)).toThrow(InvalidOptionsError);
  });

  it.each([0, [0], {}, true])('refuses %j, not text', (value) => {
    expect(checkCpuSet(value)?.rule).toBe('type');
  });

  it('writes an empty set as empty text', () => {
    expect(formatCpuList([])).toBe('');
  });
});
