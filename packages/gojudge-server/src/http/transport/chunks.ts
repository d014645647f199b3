/** Large answers, piece by piece. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Room } from '../../wire/bytes.js';
import type { Pieces } from '../../wire/results.js';

/** Where they go; a `ServerResponse` is one. `close` comes when the client has gone, or the kernel has all of it. */
export interface PieceSink {
  write(piece: Uint8Array, written: () => void): unknown;
  end(): unknown;
  once(event: 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/**
 * Each piece is made no sooner than the client takes what was before it, and others get their turn between. Two rooms are used again and
 * again: one for each piece would be as much memory as the answer, for the kernel to clear and for V8 to collect.
 */
export async function sendPieces(sink: PieceSink, pieces: Pieces): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    sink.once('close', resolve);
  });
  let before: Promise<void> | undefined;
  for (const piece of pieces(twoRooms())) {
    const written = new Promise<void>((resolve) => {
      sink.write(piece, () => resolve()); // an error as well: the client is gone then
    });
    await Promise.race([before, closed]);
    await nextTurn();
    if (sink.destroyed) return;
    before = written;
  }
  sink.end();
  await closed;
}

/** In turn: the one is free for a piece when the one after it has been asked for, and it has been written. */
function twoRooms(): Room {
  const rooms: Buffer[] = [];
  let turn = 0;
  return (bytes) => {
    turn = 1 - turn;
    const room = rooms[turn];
    if (room !== undefined && room.length >= bytes) return room.subarray(0, bytes);
    const made = Buffer.allocUnsafe(bytes);
    rooms[turn] = made;
    return made;
  };
}
