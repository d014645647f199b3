import { describe, expect, it } from 'vitest';
import { plainCpuList } from './cpu-list.js';

const lastCpu = () => 7;

describe('a list of CPUs as the kernel reads it', () => {
  it.each([
    ['0', '0'],
    ['0-1,3', '0-1,3'],
    ['3,0-1,1', '0-1,3'],
    ['0,', '0'],
    [',0', '0'],
    ['0,,2', '0,2'],
    [' 0 ,\t2-3 ', '0,2-3'],
    ['0 1', '0-1'],
    ['N', '7'],
    ['2-N', '2-7'],
    ['all', '0-7'],
    ['ALL', '0-7'],
    ['all:1/2', '0,2,4,6'],
    ['0-3:1/2', '0,2'],
    ['1-7:2/3', '1-2,4-5,7'],
    ['0-7:1/N', '0,7'],
    ['0-3:1/2N', '0,2,7'],
    ['8000-8191', '8000-8191'],
    ['0\n1', '0'],
    ['\n0 \n1', '0-1'],
    ['0\0x', '0'],
  ])('%j is %s', (text, plain) => {
    expect(plainCpuList(text, lastCpu)).toBe(plain);
  });

  it.each([',', ' ', ' , \n', '\0', '0-3:0/2'])('%j names none', (text) => {
    expect(plainCpuList(text, lastCpu)).toBe('');
  });

  it.each([
    'zz',
    '-1',
    '1-',
    '2-1',
    '0x1',
    '1.5',
    '0-1-2',
    '0-8192',
    '99999999999999999999',
    'n',
    'allx',
    'all-1',
    '0:1/2',
    '0-3:',
    '0-3:1',
    '0-3:1/0',
    '0-3:2/1',
    '0-3:1/2x',
    '0\u00a01',
    '0,'.repeat(2049),
  ])('%j is refused', (text) => {
    expect(plainCpuList(text, lastCpu)).toBeNull();
  });

  it('asks the machine for its last CPU only where the list does', () => {
    const never = () => {
      throw new Error('asked');
    };
    expect(plainCpuList('0-1', never)).toBe('0-1');
    expect(plainCpuList('all')).toMatch(/^0(-\d+)?$/);
  });
});
