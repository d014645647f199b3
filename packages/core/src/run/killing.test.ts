import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Killing } from './killing.js';

const REPORT_WAIT_MS = 60;

/** What it does, in order, as `signal@ms`; `lost` is the giving up. */
function watched(graceMs: number): { killing: Killing; seen: string[] } {
  const seen: string[] = [];
  const startedAt = Date.now();
  const note = (what: string) => seen.push(`${what}@${Date.now() - startedAt}`);
  const killing = new Killing(
    graceMs,
    (signal) => note(`${signal}`),
    () => note('lost'),
  );
  return { killing, seen };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Killing', () => {
  it('without a grace kills at once, and does not wait for ever for the report', () => {
    const { killing, seen } = watched(0);
    killing.end();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['9@0', `lost@${REPORT_WAIT_MS}`]);
  });

  it('with one asks first', () => {
    const { killing, seen } = watched(500);
    killing.end();
    killing.end();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['15@0', '9@500', `lost@${500 + REPORT_WAIT_MS}`]);
  });

  it('endNow leaves nothing of the grace', () => {
    const { killing, seen } = watched(500);
    killing.end();
    vi.advanceTimersByTime(100);
    killing.endNow();
    killing.endNow();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['15@0', '9@100', `lost@${100 + REPORT_WAIT_MS}`]);
    expect(killing.ending).toBe(true);
  });

  it('waits longer for the report of a program that the kernel held much memory for', () => {
    const { killing, seen } = watched(0);
    killing.endNow('memory-limit');
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual(['9@0', 'lost@5000']);
  });

  it('does nothing more once the report is there', () => {
    const { killing, seen } = watched(100);
    killing.end();
    killing.over();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['15@0']);
  });
});
