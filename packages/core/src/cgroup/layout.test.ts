import { describe, expect, it } from 'vitest';
import { limitWrites, V1, V2 } from './layout.js';

describe('limitWrites', () => {
  it('v1: memory and swap together, lifted first and set last; sockets for themselves', () => {
    expect(limitWrites(V1, 1000, 5)).toEqual([
      ['swapLimit', '-1'],
      ['memoryLimit', '1000'],
      ['swapLimit', '1000'],
      ['socketLimit', '1000'],
      ['taskLimit', '5'],
    ]);
    expect(limitWrites(V1, null, null)).toContainEqual(['memoryLimit', '-1']);
  });

  it('v2: no swap beyond the limit', () => {
    expect(limitWrites(V2, 1000, null)).toEqual([
      ['memoryLimit', '1000'],
      ['swapLimit', '0'],
      ['taskLimit', 'max'],
    ]);
    expect(limitWrites(V2, null, 1)).toContainEqual(['swapLimit', 'max']);
  });

  it('a bound of tasks above all process numbers is none: the kernel refuses it', () => {
    expect(limitWrites(V1, null, 4_194_304)).toContainEqual(['taskLimit', '4194304']);
    for (const layout of [V1, V2])
      expect(limitWrites(layout, null, 4_194_305)).toContainEqual(['taskLimit', 'max']);
  });
});

describe('CPU time', () => {
  it('the CPU rate is a share of a period', () => {
    expect(V2.cpuRate.write(0.5)).toEqual([['cpu.max', '50000 100000']]);
    expect(V2.cpuRate.write(null)).toEqual([['cpu.max', 'max 100000']]);
    expect(V1.cpuRate.write(2)).toContainEqual(['cpu.cfs_quota_us', '200000']);
  });

  it('an ordinary CPU weight is 100 in v2 and 1024 in v1', () => {
    expect(V2.cpuWeight.write(100)).toEqual(['cpu.weight', '100']);
    expect(V1.cpuWeight.write(100)).toEqual(['cpu.shares', '1024']);
    expect([V1.cpuWeight.write(1)[1], V1.cpuWeight.write(10_000)[1]]).toEqual(['10', '102400']);
  });
});
