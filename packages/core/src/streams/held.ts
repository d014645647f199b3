/**
 * Streams that wait for their turn. Node lets the output of a child process flow when that has ended, and
 * what flows to nobody is gone; but our reader comes when the engine is open and a place is free, which may
 * be later. Who listens for `readable` keeps a stream from flowing, until the reader takes it over.
 */
import { Readable } from 'node:stream';

/** Holds one that nobody else reads already. */
export function holdStream(source: unknown): void {
  if (source instanceof Readable && source.readableFlowing !== true) source.on('readable', nothing);
}

function nothing(): void {}
