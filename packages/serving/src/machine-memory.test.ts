import { totalmem } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { machineMemoryBytes } from './machine-memory.js';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['a container has less', 2 ** 20, 2 ** 20],
  ['a container has no bound', 2 ** 64, totalmem()],
  ['nobody knows', 0, totalmem()],
])('%s', (_what, constrained, expected) => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(constrained);
  expect(machineMemoryBytes()).toBe(expected);
});
