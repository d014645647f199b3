import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Received, Receiving, watchHalfSent } from './receiving.js';

const TIMEOUT = { graceMs: 1000, bytesPerMs: 1 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(maxBytes = 10_000) {
  const receiving = new Receiving(maxBytes);
  const connection = new EventEmitter();
  const terminate = vi.fn();
  const socket = Object.assign(new EventEmitter(), { terminate, isPaused: false });
  watchHalfSent(socket as unknown as Received, connection as unknown as Socket, receiving, TIMEOUT);
  return {
    receiving,
    socket,
    terminate,
    send: (bytes: number) => connection.emit('data', Buffer.alloc(bytes)),
  };
}

it('a message that does not come is not waited for for ever', () => {
  const { send, terminate } = watched();
  vi.advanceTimersByTime(60_000);
  send(500);
  vi.advanceTimersByTime(1000);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2000);
  expect(terminate).toHaveBeenCalled();
});

it('one that comes in time is no longer counted, and neither is that of a connection that went', () => {
  const { send, terminate, socket, receiving } = watched();
  send(500);
  expect(receiving.bytes).toBe(500);
  socket.emit('message');
  expect(receiving.bytes).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(terminate).not.toHaveBeenCalled();
  send(700);
  socket.emit('close');
  send(800);
  vi.advanceTimersByTime(10_000);
  expect([receiving.bytes, terminate.mock.calls.length]).toEqual([0, 0]);
});

it('what is thrown away after an error does not count', () => {
  const { send, socket, receiving } = watched();
  send(500);
  socket.emit('error');
  send(9_000);
  expect(receiving.bytes).toBe(0);
});

it('one that is not read waits for its program', () => {
  const { send, terminate, socket } = watched();
  send(500);
  socket.isPaused = true;
  vi.advanceTimersByTime(60_000);
  expect(terminate).not.toHaveBeenCalled();
});

it('one for which there is no room ends its connection', () => {
  const { send, terminate, receiving } = watched(600);
  send(500);
  send(200);
  expect([receiving.bytes, terminate.mock.calls.length]).toEqual([500, 1]);
});

it('pings and pongs between the parts of a message are no more than their own bytes', () => {
  const { send, terminate, socket, receiving } = watched();
  send(16);
  socket.emit('ping', Buffer.alloc(10));
  expect(receiving.bytes).toBe(0);
  for (let part = 0; part < 4; part += 1) {
    send(500);
    send(6);
    socket.emit('pong', Buffer.alloc(0));
    vi.advanceTimersByTime(500);
  }
  expect(receiving.bytes).toBe(2000);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(3000);
  expect(terminate).toHaveBeenCalled();
});

it('there is room for so much at once; what finds none is not counted', () => {
  const receiving = new Receiving(10);
  expect([receiving.take(6), receiving.take(5), receiving.take(4)]).toEqual([true, false, true]);
  expect(receiving.bytes).toBe(10);
  receiving.release(6);
  expect([receiving.take(5), receiving.bytes]).toEqual([true, 9]);
});
