import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Mover, Places } from './places.js';

const PACE = { stallMs: 1000, bytesPerMs: 1 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A client that sends and takes bytes when the test says so. */
class Client implements Mover {
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  _handle = { writeQueueSize: 1e6 };
  readonly destroy = vi.fn();
}

function full(): { places: Places; clients: [Client, Client]; back: (() => void)[] } {
  const places = new Places(2, PACE);
  const clients: [Client, Client] = [new Client(), new Client()];
  return { places, clients, back: clients.map((client) => places.take(client)!) };
}

it('there are so many, and those that are given back', () => {
  const { places, back } = full();
  expect(places.take(new Client())).toBeNull();
  back[0]!();
  expect(places.take(new Client())).toBeTypeOf('function');
  expect(places.take(new Client())).toBeNull();
});

it('while nobody else comes who moves at all stays, and who stands still does not', () => {
  const [slow, still] = full().clients;
  for (let ms = 0; ms < 10_000; ms += 100) {
    slow._handle.writeQueueSize -= 1;
    vi.advanceTimersByTime(100);
  }
  expect(slow.destroy).not.toHaveBeenCalled();
  expect(still.destroy).toHaveBeenCalled();
});

it.each([
  ['is sent to', (client: Client) => (client.bytesWritten += 110)],
  ['takes a part of a message', (client: Client) => (client._handle.writeQueueSize -= 110)],
  ['sends', (client: Client) => (client.bytesRead += 110)],
])('when others do, one that %s fast enough stays, and all that do not are cut', (_, move) => {
  const { places, clients } = full();
  const [moving, slow] = clients;
  expect(places.take(new Client())).toBeNull();
  for (let ms = 0; ms < 1200; ms += 100) {
    move(moving);
    slow.bytesWritten += 1;
    vi.advanceTimersByTime(100);
  }
  expect(moving.destroy).not.toHaveBeenCalled();
  expect(slow.destroy).toHaveBeenCalled();
});

it('who has given back its place is not looked at any more', () => {
  const { clients, back } = full();
  back[0]!();
  vi.advanceTimersByTime(2000);
  expect(clients.map(({ destroy }) => destroy.mock.calls.length > 0)).toEqual([false, true]);
});
