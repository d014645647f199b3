import { expect, it } from 'vitest';
import { loadOf, usageOf } from './figures.js';

it('names figures as all packages do, with units last', () => {
  expect(usageOf({ cpu_time_ms: 3, peak_memory_mb: 2 })).toEqual({
    cpuTimeMs: 3,
    memoryPeakBytes: 2 * 2 ** 20,
  });
  expect(loadOf({ active_executions: 3, queue_depth: 1 })).toEqual({ activeExecutions: 3, queueDepth: 1 });
});

it('leaves out what was not measured', () => expect(usageOf({})).toEqual({}));

it('still knows the names of the wire', () => {
  expect(usageOf({ cpu_time_ms: 3, peak_memory_mb: 2 })).toMatchObject({ cpu_time_ms: 3, peak_memory_mb: 2 });
  expect(loadOf({ active_executions: 3, queue_depth: 1 }).active_executions).toBe(3);
});
