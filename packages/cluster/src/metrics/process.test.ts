import { afterEach, expect, it, vi } from 'vitest';
import { processFamilies } from './process.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const names = () => processFamilies().map(({ name }) => name);

it('a process tells its CPU time, its memory and its start', () => {
  expect(names()).toEqual([
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ]);
});

it('without a descriptor to read the memory by, it tells the rest', () => {
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw new Error('EMFILE: too many open files');
  });
  expect(names()).toEqual(['process_cpu_seconds_total', 'process_start_time_seconds']);
});
