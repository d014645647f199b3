import type { RunResult } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { endingOf, lastMessages, MessageOrder } from './messages.js';

const STEPS = {
  ack: { type: 'ack' },
  running: { type: 'status', status: 'running' },
  stdout: { type: 'stdout' },
  completed: { type: 'status', status: 'completed' },
  failed: { type: 'status', status: 'failed' },
  cancelled: { type: 'status', status: 'cancelled' },
  timeout: { type: 'status', status: 'timeout' },
  limit: { type: 'error', code: 'OUTPUT_LIMIT' },
  error: { type: 'error', code: 'INTERNAL_ERROR' },
  result: { type: 'result' },
} as const;
type Name = keyof typeof STEPS;

function say(...names: Name[]): MessageOrder {
  const order = new MessageOrder();
  for (const name of names) order.check(STEPS[name]);
  return order;
}

describe('the sequences of the specification', () => {
  test.each<Name[]>([
    ['ack', 'running', 'stdout', 'stdout', 'completed', 'result'],
    ['ack', 'running', 'stdout', 'timeout', 'result'],
    ['ack', 'running', 'cancelled', 'result'],
    ['ack', 'running', 'error'],
    ['ack', 'error'],
    ['ack', 'cancelled', 'result'],
    ['ack', 'running', 'stdout', 'limit', 'failed', 'result'],
  ])('%s %s %s %s %s %s', (...names) => {
    expect(say(...names.filter(Boolean)).isOver).toBe(true);
  });
});

describe('what must not happen', () => {
  test.each<Name[]>([
    ['running'],
    ['ack', 'ack'],
    ['ack', 'running', 'running'],
    ['ack', 'stdout'],
    ['ack', 'completed'],
    ['ack', 'limit'],
    ['ack', 'running', 'result'],
    ['ack', 'running', 'completed', 'stdout'],
    ['ack', 'running', 'completed', 'cancelled'],
    ['ack', 'running', 'completed', 'error'],
    ['ack', 'running', 'completed', 'result', 'result'],
    ['ack', 'running', 'error', 'result'],
    ['ack', 'running', 'limit', 'stdout'],
    ['ack', 'running', 'limit', 'completed'],
  ])('%s %s %s %s %s', (...names) => {
    expect(() => say(...names.filter(Boolean))).toThrow(/message order/);
  });
});

/** How a program ended, with everything well unless said otherwise. */
function result(more: object, usage: object = {}): RunResult {
  const used = { wallTimeMs: 12.4, cpuTimeMs: 3.6, memoryPeakBytes: 2 ** 20 + 1, ...usage };
  return { status: 'ok', exitCode: 0, exitSignal: null, ...more, usage: used } as RunResult;
}

const REQUEST = { language: 'python', limits: { timeout_ms: 1000, memory_mb: 100 } };

describe('the end of a program in the words of the protocol', () => {
  test.each([
    [{ status: 'ok' }, 'completed', 0],
    [{ status: 'exit', exitCode: 3 }, 'failed', 3],
    [{ status: 'signal', exitCode: null, exitSignal: 'SIGSEGV' }, 'failed', null],
    [{ status: 'forbidden-syscall', exitCode: null }, 'failed', null],
    [{ status: 'output-limit', exitCode: null }, 'failed', null],
    [{ status: 'cpu-limit', exitCode: 9 }, 'timeout', null],
    [{ status: 'memory-limit', exitCode: 137 }, 'oom', null],
  ])('%j: %s', (ended, status, exitCode) => {
    expect(endingOf(result(ended), null, REQUEST)).toEqual({
      status,
      exitCode,
      durationMs: 12,
      usage: { peak_memory_mb: 2, cpu_time_ms: 4 },
    });
  });

  test('what nobody here has killed is no outcome of the program', () => {
    expect(endingOf(result({ status: 'killed' }), null, REQUEST)).toBeNull();
  });

  test.each([
    ['cancel', 'cancelled'],
    ['output-limit', 'failed'],
  ] as const)('a reason of the server (%s) wins over what the kill came too late for', (reason, status) => {
    for (const late of ['killed', 'ok', 'memory-limit']) {
      expect(endingOf(result({ status: late }), reason, REQUEST)).toMatchObject({ status, exitCode: null });
    }
  });

  test('a timeout takes no less than was given', () => {
    const timed = (wallTimeMs: number) => result({ status: 'wall-limit' }, { wallTimeMs });
    expect(endingOf(timed(999.2), null, REQUEST)?.durationMs).toBe(1000);
    expect(endingOf(timed(1003), null, REQUEST)?.durationMs).toBe(1003);
  });

  test.each([
    ['javascript', 'SIGABRT', 35, 'oom'],
    ['javascript', 'SIGABRT', 34, 'failed'],
    ['javascript', 'SIGSEGV', 90, 'failed'],
    ['python', 'SIGABRT', 90, 'failed'],
  ])('%s that ends by %s at %i of 100 MiB: %s', (language, exitSignal, peakMb, status) => {
    const ended = result(
      { status: 'signal', exitCode: null, exitSignal },
      { memoryPeakBytes: peakMb * 2 ** 20 },
    );
    expect(endingOf(ended, null, { ...REQUEST, language })?.status).toBe(status);
  });

  test('memory that was not measured is left out', () => {
    const ended = endingOf(result({}, { memoryPeakBytes: null }), null, REQUEST);
    expect(ended?.usage).toEqual({ cpu_time_ms: 4 });
  });
});

test('an execution that has not run has no usage in its result', () => {
  const ending = { status: 'cancelled', exitCode: null, durationMs: 0, usage: null } as const;
  expect(lastMessages('a', ending)).toEqual([
    { type: 'status', id: 'a', status: 'cancelled' },
    { type: 'result', id: 'a', exit_code: null, duration_ms: 0 },
  ]);
});
