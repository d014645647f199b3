import { expect, test } from 'vitest';
import { SimClock } from '../testing/sim-clock.js';
import { CircuitBreaker } from './circuit-breaker.js';

function open() {
  const clock = new SimClock();
  const ended = new AbortController();
  const breaker = new CircuitBreaker(clock, ended.signal);
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    clock.after(ms, () => undefined); // it goes on with timers only
    return clock.run(now);
  };
  /** Of a job that has just begun. */
  const fail = (times = 1) => {
    for (let count = 0; count < times; count += 1) breaker.onFault(now);
  };
  /** How long it stays open, in whole seconds. */
  const openSeconds = async () => {
    let seconds = 0;
    for (; breaker.isOpen; seconds += 1) await pass(1000);
    return seconds;
  };
  return { breaker, ended, pass, fail, openSeconds };
}

test('one fault stops nothing, and a success between two makes each the first', () => {
  const { breaker, fail } = open();
  fail();
  breaker.onSuccess();
  fail();
  expect([breaker.isOpen, breaker.signal.aborted]).toEqual([false, false]);
});

test('two in a row end the waits for jobs, and those of later are of another signal', async () => {
  const { breaker, fail, openSeconds } = open();
  const { signal } = breaker;
  fail(2);
  expect([breaker.isOpen, signal.aborted, breaker.signal.aborted]).toEqual([true, true, false]);
  expect(await openSeconds()).toBe(2);
});

test('each fault that comes then stops for twice as long, up to a bound; a success makes it short again', async () => {
  const { breaker, fail, openSeconds } = open();
  fail(2);
  const waits = [await openSeconds()];
  for (let count = 0; count < 5; count += 1) {
    fail();
    waits.push(await openSeconds());
  }
  expect(waits).toEqual([2, 4, 8, 16, 30, 30]);
  breaker.onSuccess();
  fail();
  expect(breaker.isOpen).toBe(false);
  fail();
  expect(await openSeconds()).toBe(2);
});

test('jobs that were here when it opened do not make it longer', async () => {
  const { breaker, pass, fail, openSeconds } = open();
  fail(2);
  await pass(500);
  fail(8);
  expect(await openSeconds()).toBe(2); // begun at 0 s: it ends at 2 s, and is looked at each second from 0.5 s on
  breaker.onFault(1900);
  expect(breaker.isOpen).toBe(false);
});

test('closed() resolves when it closes, and when the worker ends', async () => {
  const { breaker, ended, pass, fail } = open();
  const closings: string[] = [];
  const wait = (name: string) => void breaker.closed().then(() => closings.push(name));
  await breaker.closed();
  fail(2);
  wait('first');
  await pass(1999);
  expect(closings).toEqual([]);
  await pass(1);
  expect(closings).toEqual(['first']);
  fail();
  wait('second');
  ended.abort();
  await pass(0);
  expect([closings, breaker.isOpen, breaker.signal.aborted]).toEqual([['first', 'second'], false, true]);
});
