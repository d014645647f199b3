import type { LiveUsage } from '@sbx/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { liveLineFor } from './live-line.js';

const usage: LiveUsage = {
  cpuTimeMs: 500,
  wallTimeMs: 1250,
  memoryPeakBytes: 2 ** 21,
  memoryBytes: 2 ** 20,
  fileCacheBytes: null,
  processPeakCount: 1,
};
const LINE = 'running · cpu 500 ms · wall 1.25 s · memory 1.0 MiB';
const people = { json: false, quiet: false, tty: false };
const env = { TERM: 'xterm' };
let written = '';
const write = (text: string) => {
  written += text;
};
const screen = { isTTY: true, columns: 80, write };
const text = (line: string) => Buffer.from(line);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('NO_COLOR', '1');
  written = '';
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function lineOf(changes = {}, on = screen) {
  const line = liveLineFor({ ...people, ...changes }, on, env);
  line.follow({ usage: () => usage });
  return line;
}

test('a run of less than half a second shows nothing', () => {
  const line = lineOf();
  vi.advanceTimersByTime(499);
  line.stop();
  vi.advanceTimersByTime(5000);
  expect(written).toBe('');
});

test('a longer one shows a line, which is gone at the end', () => {
  const line = lineOf();
  vi.advanceTimersByTime(501);
  expect(written).toBe(`\r\x1b[2K${LINE}`);
  vi.advanceTimersByTime(250);
  line.stop();
  expect(written).toBe(`\r\x1b[2K${LINE}\r\x1b[2K${LINE}\r\x1b[2K`);
  vi.advanceTimersByTime(5000);
  expect(written.endsWith(`${LINE}\r\x1b[2K`)).toBe(true);
});

test('output of the program takes its place; half a line of it is not erased', () => {
  const line = lineOf();
  vi.advanceTimersByTime(501);
  written = '';
  line.beforeOutput(text('name? '));
  expect(written).toBe('\r\x1b[2K');
  vi.advanceTimersByTime(1000);
  line.stop();
  expect(written).toBe('\r\x1b[2K');
});

test('after a whole line of output it comes back', () => {
  const line = lineOf();
  line.beforeOutput(text('one\n'));
  vi.advanceTimersByTime(501);
  expect(written).toContain(LINE);
  line.stop();
});

test('it never wraps', () => {
  const line = lineOf({}, { ...screen, columns: 20 });
  vi.advanceTimersByTime(501);
  expect(written).toBe(`\r\x1b[2K${LINE.slice(0, 19)}`);
  line.stop();
});

test.each([
  ['--json', { json: true }, screen],
  ['--quiet', { quiet: true }, screen],
  ['--tty', { tty: true }, screen],
  ['no terminal', {}, { ...screen, isTTY: false }],
])('%s: nothing is shown', (_name, changes, on) => {
  const line = lineOf(changes, on);
  vi.advanceTimersByTime(2000);
  line.stop();
  expect(written).toBe('');
});
