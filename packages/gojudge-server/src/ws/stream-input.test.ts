import type { ProgramInput } from '@sbx/core';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ReadGate } from './read-gate.js';
import { StreamInput } from './stream-input.js';

const MIB = 2 ** 20;

function fakeSocket() {
  const socket = { isPaused: false, ping: vi.fn() };
  const set = (isPaused: boolean) => () => void Object.assign(socket, { isPaused });
  return Object.assign(socket, { pause: set(true), resume: set(false) });
}

/** Takes what it is given when it is told to, if ever. */
function fakeProgram() {
  const taking: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => void taking.push(resolve));
  return { stream: { write } as unknown as ProgramInput, take: () => taking.splice(0).map((done) => done()) };
}

function opened() {
  const socket = fakeSocket();
  const gate = new ReadGate(socket as unknown as WebSocket, 100);
  const make = () => {
    const program = fakeProgram();
    const input = new StreamInput(gate);
    input.attach(program.stream);
    return { input, ...program };
  };
  return { socket, make };
}

it('a socket is not read while one of its inputs is full, whatever the others take', async () => {
  const { socket, make } = opened();
  const [idle, busy] = [make(), make()];
  busy.input.write(Buffer.alloc(10));
  idle.input.write(Buffer.alloc(MIB + 1));
  expect(socket.isPaused).toBe(true);
  busy.take();
  await Promise.resolve();
  expect(socket.isPaused).toBe(true);
  idle.take();
  await Promise.resolve();
  expect(socket.isPaused).toBe(false);
});

it('two that are full are waited for, and the end of a program is room', async () => {
  const { socket, make } = opened();
  const [one, other] = [make(), make()];
  one.input.write(Buffer.alloc(MIB + 1));
  other.input.write(Buffer.alloc(MIB + 1));
  one.take();
  await Promise.resolve();
  expect(socket.isPaused).toBe(true);
  other.input.close();
  expect(socket.isPaused).toBe(false);
});

it('many small messages fill an input with what each costs, not with their bytes alone', () => {
  const { socket, make } = opened();
  const { input } = make();
  let count = 0;
  for (; !socket.isPaused && count < 10_000; count += 1) input.write(Buffer.alloc(1));
  expect(count).toBe(Math.floor(MIB / 513) + 1);
});
