import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestRoom } from './request-room.js';

const MIB = 2 ** 20;
const COMING_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = (waitingMax = 8) => new RequestRoom({ bytesMax: 10 * MIB, waitingMax, comingMs: COMING_MS });

/** Asks for room, and says whether it was given. */
function ask(room: RequestRoom, bytes: number) {
  const asked = { cut: vi.fn(), place: undefined as Awaited<ReturnType<RequestRoom['reserve']>> | undefined };
  void room.reserve(bytes, asked.cut).then((place) => (asked.place = place));
  return asked;
}

const turn = () => vi.advanceTimersByTimeAsync(0);

it('what finds no room waits, in the order of asking', async () => {
  const room = open();
  const [first, second, third, fourth] = [6, 6, 1, 4].map((mib) => ask(room, mib * MIB));
  await turn();
  expect([first!.place, second!.place, third!.place]).toEqual([expect.anything(), undefined, undefined]);
  first!.place!.free();
  first!.place!.free();
  await turn();
  expect(room.bytes).toBe(7 * MIB);
  expect([second!.place, third!.place, fourth!.place]).toEqual([
    expect.anything(),
    expect.anything(),
    undefined,
  ]);
  second!.place!.free();
  await turn();
  expect([room.bytes, fourth!.place]).toEqual([5 * MIB, expect.anything()]);
});

it('small ones wait for nothing, and one alone may be larger than all of the room', async () => {
  const room = open();
  const [large, small] = [ask(room, 20 * MIB), ask(room, 64 * 1024)];
  await turn();
  expect([large.place, small.place]).toEqual([expect.anything(), expect.anything()]);
  expect(room.hold(64 * 1024).free()).toBeUndefined();
  expect([room.bytes, room.fits(64 * 1024), room.fits(MIB)]).toEqual([20 * MIB, true, false]);
});

it('so many wait, and no more', async () => {
  const room = open(1);
  const [, second, third] = [10, 1, 1].map((mib) => ask(room, mib * MIB));
  await turn();
  expect([second!.place, third!.place]).toEqual([undefined, null]);
});

it('it is full from more than all of it until half of it', () => {
  const room = open();
  room.onChange = vi.fn();
  const [one, two, three] = [4, 4, 4].map((mib) => room.hold(mib * MIB));
  expect(room.isFull).toBe(true);
  one!.free();
  expect([room.isFull, room.fits(MIB)]).toEqual([true, false]);
  two!.free();
  expect([room.isFull, room.fits(MIB)]).toEqual([false, true]);
  three!.free();
  expect(vi.mocked(room.onChange).mock.calls).toEqual([[true], [false]]);
});

it('one that does not come is cut, but only while others wait', async () => {
  const room = open();
  const [idle, whole] = [ask(room, 5 * MIB), ask(room, 5 * MIB)];
  await turn();
  whole.place!.whole();
  await vi.advanceTimersByTimeAsync(10 * COMING_MS);
  expect(idle.cut).not.toHaveBeenCalled();
  const waiting = ask(room, MIB);
  await vi.advanceTimersByTimeAsync(COMING_MS - 1);
  expect(idle.cut).not.toHaveBeenCalled();
  idle.cut.mockImplementation(() => idle.place!.free());
  await vi.advanceTimersByTimeAsync(1);
  expect([idle.cut.mock.calls.length, whole.cut.mock.calls.length]).toEqual([1, 0]);
  expect([room.bytes, waiting.place]).toEqual([6 * MIB, expect.anything()]);
  await vi.advanceTimersByTimeAsync(10 * COMING_MS);
  expect(waiting.cut).not.toHaveBeenCalled();
});

it('while one still waits the others are looked at, and after that nothing is', async () => {
  const room = open();
  const [idle, other] = [ask(room, 5 * MIB), ask(room, 5 * MIB)];
  const [first, second] = [ask(room, 2 * MIB), ask(room, 9 * MIB)];
  await turn();
  other.place!.free();
  await turn();
  expect([first.place, second.place]).toEqual([expect.anything(), undefined]);
  await vi.advanceTimersByTimeAsync(2 * COMING_MS);
  expect([idle.cut.mock.calls.length > 0, other.cut.mock.calls.length]).toEqual([true, 0]); // it has left
  for (const { place } of [idle, first]) place!.free();
  await turn();
  expect([second.place, vi.getTimerCount()]).toEqual([expect.anything(), 0]);
});

it('counts no small ones', () => {
  const room = open();
  for (let count = 0; count < 1000; count += 1) room.hold(64 * 1024);
  expect([room.bytes, room.isFull]).toEqual([0, false]);
});
