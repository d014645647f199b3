import { describe, expect, test } from 'vitest';
import { MessageOrder } from './messages.js';

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
