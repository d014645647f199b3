import { LATENCY_BOUNDS_MS } from '@sbx/console/wire';
import { expect, test } from 'vitest';
import { Recorder } from './recorder.js';

test('counts by status and by time; a bound belongs to its own count', () => {
  const recorder = new Recorder();
  recorder.count({ status: 'completed', latencyMs: 0.2 });
  recorder.count({ status: 'completed', latencyMs: 1 });
  recorder.count({ status: 'timeout', latencyMs: 60_000 });
  const { endedByStatus, latencyCounts } = recorder.figures();
  expect(endedByStatus).toEqual({ completed: 2, timeout: 1 });
  expect(latencyCounts[0]).toBe(2);
  expect(latencyCounts[LATENCY_BOUNDS_MS.length]).toBe(1);
});

test('statuses do not grow without end', () => {
  const recorder = new Recorder();
  for (let index = 0; index < 1000; index += 1) recorder.count({ status: `s${index}`, latencyMs: 1 });
  const { endedByStatus } = recorder.figures();
  expect(Object.keys(endedByStatus).length).toBeLessThanOrEqual(65);
  expect(endedByStatus.other).toBe(1000 - 64);
});
