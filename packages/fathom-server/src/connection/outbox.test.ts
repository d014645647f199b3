import { MESSAGE_COST_BYTES, Unsent } from '@sbx/serving';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { Outbox } from './outbox.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MiB = 2 ** 20;

/** A connection whose peer takes bytes when the test says so. */
class FakeSocket {
  /** What went out, between `<` and `>` what left together. */
  readonly told: string[] = [];
  bufferedAmount = 0;
  isPaused = false;
  readonly _socket = {
    bytesWritten: 0,
    writableLength: 0,
    cork: () => void this.told.push('<'),
    uncork: () => void this.told.push('>'),
    resetAndDestroy: vi.fn(),
  };
  readonly #messages: { left: number; onFlushed: () => void }[] = [];

  send(text: string, _options: object, onFlushed: () => void): void {
    this.told.push(text);
    this.bufferedAmount += text.length;
    this.#messages.push({ left: text.length, onFlushed });
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  /** The peer takes so much of it. */
  take(bytes: number): void {
    this._socket.bytesWritten += bytes;
    this.bufferedAmount -= bytes;
    for (let left = bytes; left > 0; ) {
      const message = this.#messages[0]!;
      const taken = Math.min(left, message.left);
      left -= taken;
      message.left -= taken;
      if (message.left === 0) this.#messages.shift()!.onFlushed();
    }
  }
}

function open(unsent = new Unsent(2 * MiB), bufferBytes = 10) {
  const socket = new FakeSocket();
  const told = { stalls: 0, progress: 0 };
  const outbox = new Outbox(socket as unknown as WebSocket, {
    unsent,
    bufferBytes,
    stallMs: 1000,
    onStall: () => void told.stalls++,
    onProgress: () => void told.progress++,
  });
  return { socket, outbox, told, send: (text: string) => outbox.send(() => text) };
}

test('what is said in one turn leaves together, in order; what comes later is made at the end of the turn', () => {
  const { socket, outbox, send } = open();
  outbox.sendLater(() => `ack ${socket.told.length}`);
  expect(socket.told).toEqual(['<']);
  send('output');
  outbox.sendLater(() => 'running');
  vi.runAllTicks();
  vi.advanceTimersByTime(0);
  expect(socket.told).toEqual(['<', 'ack 1', 'output', 'running', '>']);
});

test('with a full buffer output waits, control messages do not, and each is called in its turn', () => {
  const { socket, outbox, send } = open();
  expect(outbox.hasRoom()).toBe(true);
  send('0123456789');
  expect(outbox.hasRoom()).toBe(false);
  const called: string[] = [];
  for (const name of ['first', 'second']) {
    outbox.whenRoom(() => {
      called.push(name);
      send(`${name} takes all`);
    });
  }
  send('pong');
  expect(socket.told).toContain('pong');
  socket.take(14);
  expect(called).toEqual(['first']);
  socket.take(15);
  expect(called).toEqual(['first', 'second']);
});

test('while somebody waits for room, nobody else has it', () => {
  const { outbox } = open();
  const giveUp = outbox.whenRoom(() => undefined);
  expect(outbox.hasRoom()).toBe(false);
  giveUp();
  expect(outbox.hasRoom()).toBe(true);
});

test('a turn that is given up is called no more, and the next one has it', () => {
  const { socket, outbox, send } = open();
  send('0123456789');
  const called: string[] = [];
  const giveUp = outbox.whenRoom(() => void called.push('first'));
  outbox.whenRoom(() => void called.push('second'));
  giveUp();
  socket.take(10);
  outbox.stop();
  expect(called).toEqual(['second']);
});

test('nothing more is read from a peer that asks much and takes nothing, until it has', () => {
  const { socket, send } = open();
  send('x'.repeat(MiB - MESSAGE_COST_BYTES));
  expect(socket.isPaused).toBe(false);
  send('x'.repeat(11));
  expect(socket.isPaused).toBe(true);
  socket.take(MiB - MESSAGE_COST_BYTES + 11);
  expect(socket.isPaused).toBe(false);
});

test('it is read from again when there is room, not when a part was taken', () => {
  const { socket, send } = open();
  for (const bytes of [MiB, MiB]) send('x'.repeat(bytes));
  socket.take(MiB);
  expect(socket.isPaused).toBe(true);
  socket.take(MiB);
  expect(socket.isPaused).toBe(false);
});

test('counts for all what the peer has not taken, message by message, until it is gone', () => {
  const unsent = new Unsent(2 * MiB);
  const { socket, outbox, send } = open(unsent);
  for (const bytes of [20, 30]) send('x'.repeat(bytes));
  vi.advanceTimersByTime(0);
  expect(unsent.bytes).toBe(50 + 2 * MESSAGE_COST_BYTES);
  socket.take(20);
  expect(unsent.bytes).toBe(30 + MESSAGE_COST_BYTES);
  send('x'.repeat(40));
  outbox.stop(); // in the turn of that message
  vi.advanceTimersByTime(0);
  expect(unsent.bytes).toBe(0);
  socket.take(70);
  expect(unsent.bytes).toBe(0);
});

test('while all together leave too much lying, each has little on its way', () => {
  const unsent = new Unsent(100 * 1024);
  const bufferBytes = 64 * 1024;
  const [one, other] = [open(unsent, bufferBytes), open(unsent, bufferBytes)];
  const turn = () => vi.advanceTimersByTime(0);
  one.send('x'.repeat(20 * 1024));
  turn();
  expect([one.outbox.hasRoom(), unsent.bytes]).toEqual([true, 20 * 1024 + MESSAGE_COST_BYTES]);
  other.send('x'.repeat(90 * 1024));
  turn();
  expect([one.outbox.hasRoom(), one.socket.isPaused]).toEqual([false, false]);
  one.send('pong');
  expect(one.socket.isPaused).toBe(true);
  turn();
  one.socket.take(20 * 1024 + 4);
  expect([one.outbox.hasRoom(), one.socket.isPaused]).toEqual([true, false]);
  one.send('x'.repeat(15 * 1024));
  turn();
  expect([one.outbox.hasRoom(), one.socket.isPaused]).toEqual([true, false]);
  other.outbox.stop();
  expect([unsent.bytes, unsent.hasRoom]).toEqual([15 * 1024 + MESSAGE_COST_BYTES, true]);
  one.socket.take(15 * 1024);
  expect(unsent.bytes).toBe(0);
});

test('a peer that takes nothing for so long has stalled', () => {
  const { told, send } = open();
  send('0123456789');
  vi.advanceTimersByTime(999);
  expect(told.stalls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(told).toEqual({ stalls: 1, progress: 0 });
});

test('one that takes a byte now and then has not, and one with room is not watched', () => {
  const { socket, told, send } = open();
  send('0123456789abcdef');
  for (let taken = 0; taken < 6; taken += 1) {
    vi.advanceTimersByTime(900);
    socket.take(1);
  }
  vi.advanceTimersByTime(100);
  expect(told.stalls).toBe(0);
  expect(told.progress).toBe(6);
  socket.take(10);
  vi.advanceTimersByTime(10_000);
  expect(told.stalls).toBe(0);
});

test('stopped, it sends nothing, and nobody waits for room any more', () => {
  const { socket, outbox, told, send } = open();
  send('0123456789');
  const called: string[] = [];
  outbox.whenRoom(() => void called.push('before'));
  outbox.stop();
  outbox.whenRoom(() => void called.push('after'));
  send('late');
  expect(called).toEqual(['before', 'after']);
  expect(outbox.hasRoom()).toBe(true);
  expect(socket.told).not.toContain('late');
  vi.advanceTimersByTime(10_000);
  expect(told.stalls).toBe(0);
});
