import type { Socket } from 'node:net';
import { MESSAGE_COST_BYTES, Unsent } from '@sbx/serving';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { AnswerFlow } from './answer-flow.js';
import { ReadGate } from './read-gate.js';

const STALL_MS = 10_000;
const MIB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection whose peer takes bytes when the test says so. */
class FakeSocket {
  bufferedAmount = 0;
  isPaused = false;
  readonly terminate = vi.fn();
  readonly _socket = { bytesWritten: 0, writableLength: 0 };
  readonly #sent: (() => void)[] = [];

  send(message: Buffer, _options: object, sent: () => void): void {
    this.bufferedAmount += message.length;
    this.#sent.push(sent);
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  take(bytes: number): void {
    this._socket.bytesWritten += bytes;
    this.bufferedAmount -= bytes;
    if (this.bufferedAmount === 0) for (const sent of this.#sent.splice(0)) sent();
  }
}

function open(unsentBytesMax = MIB) {
  const socket = new FakeSocket();
  const alive = vi.fn();
  const unsent = new Unsent(unsentBytesMax);
  const connection = socket._socket as unknown as Socket;
  const gate = new ReadGate(socket as unknown as WebSocket, STALL_MS);
  const flow = new AnswerFlow(socket as unknown as WebSocket, connection, {
    unsent,
    gate,
    alive,
    stallMs: STALL_MS,
  });
  return { socket, alive, unsent, flow };
}

it('a client that does not take its answers is gone', () => {
  const { socket, alive, flow } = open();
  flow.answer(Buffer.alloc(100));
  vi.advanceTimersByTime(STALL_MS - 1);
  expect(socket.terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect([socket.terminate.mock.calls.length, alive.mock.calls.length]).toEqual([1, 0]);
});

it('one that takes them slowly gets all of them', () => {
  const { socket, alive, unsent, flow } = open();
  const sent = vi.fn();
  flow.send(Buffer.alloc(100), true, sent);
  expect(unsent.bytes).toBe(100 + MESSAGE_COST_BYTES);
  for (let part = 0; part < 10; part += 1) {
    vi.advanceTimersByTime(STALL_MS / 2);
    socket.take(10);
  }
  vi.advanceTimersByTime(10 * STALL_MS);
  expect(unsent.bytes).toBe(0);
  expect([sent.mock.calls.length, socket.terminate.mock.calls.length]).toEqual([1, 0]);
  expect(alive.mock.calls.length).toBeGreaterThanOrEqual(9);
});

it('who does not read answers is not read either', () => {
  const { socket, flow } = open(64 * MIB);
  flow.answer(Buffer.alloc(16 * MIB - MESSAGE_COST_BYTES));
  expect(socket.isPaused).toBe(false);
  flow.answer(Buffer.alloc(1));
  expect(socket.isPaused).toBe(true);
  socket.take(16 * MIB - MESSAGE_COST_BYTES + 1);
  expect(socket.isPaused).toBe(false);
});

it('many small answers are more than their bytes, and a few are all while there is no room', () => {
  const { socket, flow, unsent } = open(64 * MIB);
  for (let count = 0; count < 16 * 2048; count += 1) flow.answer('x');
  expect(socket.isPaused).toBe(true);
  socket.take(16 * 2048);
  expect(socket.isPaused).toBe(false);
  const other = open().socket._socket as unknown as Socket;
  unsent.hold(Object.assign(other, { resetAndDestroy: () => undefined, destroy: () => undefined }), 65 * MIB);
  for (let count = 0; count < 64; count += 1) flow.answer('x');
  expect(socket.isPaused).toBe(true);
  socket.take(64);
  expect(socket.isPaused).toBe(false);
});
