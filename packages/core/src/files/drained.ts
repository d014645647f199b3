/** Back pressure of the streams of tar-stream. */
import type { Writable } from 'node:stream';

/** Resolves when more can be written, or never again. */
export async function drained(sink: Writable): Promise<void> {
  if (sink.destroyed) return;
  return new Promise<void>((resolve) => {
    const done = () => {
      sink.off('drain', done);
      sink.off('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
}
