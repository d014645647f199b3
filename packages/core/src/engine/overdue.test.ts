import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endOverdue } from './overdue.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function program(wallTimeMs: number | null) {
  const begun = Date.now();
  return { limits: { wallTimeMs }, ageMs: () => Date.now() - begun, endFor: vi.fn() };
}

it('a program that init leaves running is ended some seconds after its limit; one without a limit never', () => {
  const [late, patient, endless] = [program(1000), program(60_000), program(null)];
  vi.advanceTimersByTime(3000);
  endOverdue([late, patient, endless]);
  expect(late.endFor).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  endOverdue([late, patient, endless]);
  expect(late.endFor.mock.calls).toEqual([['wall-limit']]);
  expect(patient.endFor).not.toHaveBeenCalled();
  expect(endless.endFor).not.toHaveBeenCalled();
});
