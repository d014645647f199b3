// Sockets that init is asked for: who gets them, and that what keeps the process alive is even in the end.
import { expect, it } from 'vitest';
import { EAGAIN, EPIPE } from '../native/errno.js';
import { AwaitedSockets } from './awaited-sockets.js';

function awaited() {
  const state = { holds: 0, closedFds: [] as number[], asked: [] as number[] };
  const sockets = new AwaitedSockets({
    holdLoop: () => void state.holds++,
    releaseLoop: () => void state.holds--,
    closeFds: (fds) => void state.closedFds.push(...fds),
  });
  const ask = () => sockets.ask((requestId) => state.asked.push(requestId));
  const take = (requestId: number, errorNumber: number, ...fds: number[]) =>
    sockets.take({ kind: 'socket', requestId, errorNumber, fds });
  return { sockets, state, ask, take };
}

it('go to who asked for them, and keep the process alive until then', async () => {
  const { state, ask, take } = awaited();
  const both = [ask(), ask()];
  expect(state.holds).toBe(2);
  take(state.asked[1]!, 0, 8);
  take(state.asked[0]!, 97);
  expect(await Promise.all(both)).toEqual([-97, 8]);
  expect([state.holds, state.closedFds]).toEqual([0, []]);
});

it('are closed when nobody waits for them', () => {
  const { state, ask, take } = awaited();
  take(1, 0, 7);
  void ask();
  for (const fd of [8, 9]) take(state.asked[0]!, 0, fd);
  expect([state.holds, state.closedFds]).toEqual([0, [7, 9]]);
});

it('do not come when init does not take the request, or they are given up', async () => {
  const { sockets, state, ask, take } = awaited();
  expect(await sockets.ask(() => EAGAIN)).toBe(EAGAIN);
  const waiting = ask();
  sockets.giveUp(EPIPE);
  sockets.giveUp(EPIPE);
  expect(await waiting).toBe(EPIPE);
  take(state.asked[0]!, 0, 8);
  expect([state.holds, state.closedFds]).toEqual([0, [8]]);
});
