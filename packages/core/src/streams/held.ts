/**
 * Streams that wait for their turn. Node lets the output of a child process flow when that has ended, and
 * what flows to nobody is gone; but our reader comes when the engine is open and a place is free, which may
 * be later. Who listens for `readable` keeps a stream from flowing, until the reader takes it over.
 */
import { Readable } from 'node:stream';
import type { FdSpec, InputSpec } from '../types/stdio.js';

/** Where streams may be in the options of a program. */
interface Inputs {
  stdin?: InputSpec | undefined;
  fds?: Record<number, FdSpec> | undefined;
}

/** Holds the streams that a program is going to read. To be called before the first wait. */
export function holdInputs(options: Inputs | undefined): void {
  if (options === undefined) return;
  const { stdin, fds } = options;
  if (typeof stdin === 'object') holdStreamOf(stdin);
  if (fds !== undefined)
    for (const spec of Object.values(fds))
      if (typeof spec === 'object' && 'input' in spec) holdStreamOf(spec.input);
}

function holdStreamOf(input: InputSpec): void {
  if (typeof input === 'object' && 'stream' in input) holdStream(input.stream);
}

/** Holds one that nobody else reads already. */
export function holdStream(source: unknown): void {
  if (source instanceof Readable && source.readableFlowing !== true) source.on('readable', nothing);
}

function nothing(): void {}
