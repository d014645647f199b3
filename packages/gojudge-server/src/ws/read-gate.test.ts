import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ReadGate } from './read-gate.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const socket = { pause: vi.fn(), resume: vi.fn(), ping: vi.fn() };
  return { socket, gate: new ReadGate(socket as unknown as WebSocket, 100) };
}

it('a socket is read when nobody wants it to wait any more, and is probed meanwhile', () => {
  const { socket, gate } = open();
  const [one, other] = [{}, {}];
  gate.open(one);
  gate.close(one);
  gate.close(other);
  vi.advanceTimersByTime(100);
  gate.open(one);
  expect([socket.ping.mock.calls.length, socket.resume.mock.calls.length]).toEqual([1, 0]);
  gate.open(other);
  gate.open(other);
  vi.advanceTimersByTime(1000);
  expect([socket.ping.mock.calls.length, socket.resume.mock.calls.length]).toEqual([1, 1]);
});

it('nothing is done to a socket that has gone', () => {
  const { socket, gate } = open();
  const full = {};
  gate.close(full);
  gate.stop();
  gate.open(full);
  vi.advanceTimersByTime(1000);
  expect([socket.ping.mock.calls.length, socket.resume.mock.calls.length]).toEqual([0, 0]);
  expect(vi.getTimerCount()).toBe(0);
});
