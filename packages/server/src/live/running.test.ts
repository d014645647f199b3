import type { LiveUsage } from '@sbx/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Recorder } from './recorder.js';
import { RunningRuns, type RunWatcher } from './running.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run whose CPU time is the number of readings, watched by `count` that note what they read. */
function watched(count: number) {
  const running = new RunningRuns();
  const observer = running.observer(new Recorder());
  const heard: (number | null)[] = [];
  const samples: (() => void)[] = [];
  for (let index = 0; index < count; index += 1) {
    let sample: () => void = () => undefined;
    const watcher: RunWatcher = {
      started: (usage) => {
        sample = () => heard.push(usage().cpuTimeMs);
        samples.push(sample);
      },
      ended: () => sample(),
    };
    running.watch('run', watcher);
  }
  let readings = 0;
  observer.onStart('run', () => ({ cpuTimeMs: ++readings }) as LiveUsage);
  const end = () => observer.onEnd({ id: 'run', status: 'completed', latencyMs: 1 });
  const sampleAll = () => {
    for (const sample of samples) sample();
  };
  return { heard, sampleAll, end };
}

test('all watchers of a run share a reading, until it is old', () => {
  const { heard, sampleAll } = watched(500);
  sampleAll();
  expect(new Set(heard)).toEqual(new Set([1]));
  vi.advanceTimersByTime(50);
  heard.length = 0;
  sampleAll();
  expect(new Set(heard)).toEqual(new Set([2]));
});

test('the last sample is read at the end, however fresh the one before', () => {
  const { heard, sampleAll, end } = watched(2);
  sampleAll();
  end();
  expect(heard).toEqual([1, 1, 2, 2]);
});
