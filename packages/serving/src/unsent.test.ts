import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Taker, Unsent } from './unsent.js';

const PACE = { stallMs: 1000, bytesPerMs: 2 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A client that takes bytes when the test says so. */
class Client implements Taker {
  bytesWritten = 0;
  writableLength = 0;
  _handle = { writeQueueSize: 0 };
  readonly resetAndDestroy = vi.fn();
  readonly destroy = vi.fn();
  get isCut(): boolean {
    return this.resetAndDestroy.mock.calls.length > 0;
  }
}

function open(count: number) {
  return {
    unsent: new Unsent(1000, PACE),
    clients: Array.from({ length: count }, () => new Client()),
  };
}

it('while there is room nobody has to hurry', () => {
  const { unsent, clients } = open(1);
  unsent.hold(clients[0]!, 1000);
  vi.advanceTimersByTime(100_000);
  expect([unsent.hasRoom, clients[0]!.isCut]).toEqual([true, false]);
});

it('without room those that take nothing are cut off, until there is room', () => {
  const { unsent, clients } = open(4);
  for (const client of clients) unsent.hold(client, 400);
  vi.advanceTimersByTime(999);
  expect(clients.some(({ isCut }) => isCut)).toBe(false);
  vi.advanceTimersByTime(101);
  expect(clients.map(({ isCut }) => isCut)).toEqual([true, true, false, false]);
  expect(unsent.bytes).toBe(800);
  for (const client of clients) unsent.release(client, 400);
  expect(unsent.bytes).toBe(0);
});

it.each([
  ['by whole messages', (client: Client) => (client.bytesWritten += 200)],
  ['of one message', (client: Client) => (client._handle.writeQueueSize -= 200)],
])('one that takes slowly, %s, stays', (_, take) => {
  const { unsent, clients } = open(2);
  const [slow, stalled] = clients as [Client, Client];
  slow._handle.writeQueueSize = 1e6;
  for (const client of clients) unsent.hold(client, 700);
  for (let ms = 0; ms < 1200; ms += 100) {
    vi.advanceTimersByTime(100);
    take(slow);
  }
  expect([slow.isCut, stalled.isCut]).toEqual([false, true]);
});

it('one that takes byte by byte does not', () => {
  const { unsent, clients } = open(1);
  unsent.hold(clients[0]!, 1001);
  for (let ms = 0; ms < 1200; ms += 100) {
    vi.advanceTimersByTime(100);
    clients[0]!.bytesWritten += 1;
  }
  expect(clients[0]!.isCut).toBe(true);
});

it('what is added meanwhile is no progress', () => {
  const { unsent, clients } = open(1);
  unsent.hold(clients[0]!, 1001);
  for (let ms = 0; ms < 1200; ms += 100) {
    vi.advanceTimersByTime(100);
    clients[0]!.bytesWritten += 500;
    clients[0]!.writableLength += 500;
  }
  expect(clients[0]!.isCut).toBe(true);
});

it('a stall while there was room is not held against a client', () => {
  const { unsent, clients } = open(2);
  unsent.hold(clients[0]!, 600);
  vi.advanceTimersByTime(100_000);
  unsent.hold(clients[1]!, 600);
  vi.advanceTimersByTime(1000);
  expect(clients[0]!.isCut).toBe(false);
  unsent.release(clients[1]!, 600);
  vi.advanceTimersByTime(100_000);
  expect(clients[0]!.isCut).toBe(false);
});

it('of a client that is cut is freed what it had not taken, once', () => {
  const { unsent, clients } = open(2);
  const [client, other] = clients as [Client, Client];
  unsent.hold(client, 600);
  unsent.hold(client, 300);
  unsent.release(client, 600);
  expect(unsent.bytes).toBe(300);
  unsent.hold(other, 1000);
  vi.advanceTimersByTime(1100);
  expect([client.isCut, other.isCut, unsent.bytes]).toEqual([true, false, 1000]);
  unsent.release(client, 300);
  expect(unsent.bytes).toBe(1000);
  unsent.release(other, 2000);
  expect(unsent.bytes).toBe(0);
});

it('who has taken all is not cut for others', () => {
  const { unsent, clients } = open(2);
  const [done, other] = clients as [Client, Client];
  unsent.hold(done, 500);
  unsent.hold(other, 1001);
  vi.advanceTimersByTime(500);
  unsent.release(done, 500);
  vi.advanceTimersByTime(700);
  expect([done.isCut, other.isCut]).toEqual([false, true]);
});

it('one that took much once, and then nothing, does not stay', () => {
  const { unsent, clients } = open(1);
  unsent.hold(clients[0]!, 5000);
  vi.advanceTimersByTime(150);
  clients[0]!.bytesWritten += 1900;
  vi.advanceTimersByTime(1000);
  expect(clients[0]!.isCut).toBe(true);
});

it('nobody is looked at while there is room, and each time there is none all have their time anew', () => {
  const { unsent, clients } = open(2);
  const [client, other] = clients as [Client, Client];
  expect(unsent.hasRoom).toBe(true);
  unsent.hold(client, 1000);
  expect(vi.getTimerCount()).toBe(0);
  for (let times = 0; times < 2; times += 1) {
    unsent.hold(other, 1);
    vi.advanceTimersByTime(900);
    unsent.release(other, 1);
    vi.advanceTimersByTime(100);
    expect([client.isCut, vi.getTimerCount()]).toEqual([false, 0]);
  }
  unsent.hold(other, 1);
  vi.advanceTimersByTime(1100);
  expect(client.isCut).toBe(true);
});

it('who makes more waits until there is room', async () => {
  const { unsent, clients } = open(1);
  unsent.hold(clients[0]!, 1001);
  let went = false;
  void unsent.whenRoom().then(() => {
    went = true;
  });
  await new Promise(setImmediate);
  expect(went).toBe(false);
  unsent.release(clients[0]!, 1);
  await vi.waitFor(() => expect(went).toBe(true));
});

it('who waits for room goes on when there is some, one by one', async () => {
  const { unsent, clients } = open(3);
  const [first, second, third] = clients as [Client, Client, Client];
  unsent.hold(first, 1001);
  const went: string[] = [];
  void unsent.holdWhenRoom(second, 1001).then(() => went.push('second'));
  void unsent.holdWhenRoom(third, 1001).then(() => went.push('third'));
  await vi.waitFor(() => expect(unsent.hasRoom).toBe(false));
  expect(went).toEqual([]);
  unsent.release(first, 1001);
  await vi.waitFor(() => expect(went).toEqual(['second']));
  unsent.release(second, 1001);
  await vi.waitFor(() => expect(went).toEqual(['second', 'third']));
});

it('what is sent is held until it has left, or has failed', async () => {
  const { unsent, clients } = open(1);
  const failing = unsent.during(clients[0]!, 100, Promise.reject(new Error('gone')));
  expect(unsent.bytes).toBe(100);
  await expect(failing).rejects.toThrow('gone');
  expect([unsent.bytes, await unsent.during(clients[0]!, 5, Promise.resolve(7))]).toEqual([0, 7]);
});

it('a connection that knows no resets is closed', () => {
  const { unsent, clients } = open(1);
  clients[0]!.resetAndDestroy.mockImplementation(() => {
    throw new TypeError('no TCP');
  });
  unsent.hold(clients[0]!, 1001);
  vi.advanceTimersByTime(1100);
  expect(clients[0]!.destroy).toHaveBeenCalledOnce();
});
