/** From whoever writes to whoever reads chunks. */
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** A Node stream around a consumer of chunks. */
export function writableOf(consume: (source: AsyncIterable<Uint8Array>) => Promise<void>): Writable {
  const through = new Readable({ read: () => wake?.() });
  let wake: (() => void) | undefined;
  const consumed = consume(through);
  const stream = new Writable({
    write(chunk, _encoding, done) {
      if (through.push(chunk)) return done();
      wake = () => {
        wake = undefined;
        done();
      };
    },
    final(done) {
      through.push(null);
      consumed.then(() => done(), done);
    },
    destroy(error, done) {
      through.destroy(error ?? undefined);
      // What fails it for a reason of its own has come with that as the error; else it is only told to stop.
      const over = () => done(error);
      consumed.then(over, over);
    },
  });
  consumed.catch((error) => stream.destroy(error));
  void finished(through).catch(() => undefined); // its errors are the stream's
  return stream;
}
