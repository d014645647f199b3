/**
 * The program's stdin and stdout, where the manager offers them as pipes. They are read by the event loop: a
 * read of a file stream that waits for the program would take a thread of the pool.
 */
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DOWNWARD_PIPE, UPWARD_PIPE } from '@sbx/fifo-protocol';
import { openPipe } from './open.js';

/** Both ends, to be closed by whoever asked for them. */
export interface ProgramStreams {
  /** What the program reads; `end()` is its end of file. */
  stdin: Writable;
  /** What it writes. */
  stdout: Readable;
}

export function openStreams(dir: string): ProgramStreams {
  const down = openPipe(join(dir, DOWNWARD_PIPE), 'write');
  const stdin = new Socket({ fd: down, readable: false, writable: true });
  try {
    const up = openPipe(join(dir, UPWARD_PIPE), 'read');
    return { stdin, stdout: new Socket({ fd: up, readable: true, writable: false }) };
  } catch (error) {
    stdin.destroy();
    throw error;
  }
}
