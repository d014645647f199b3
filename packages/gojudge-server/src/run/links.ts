/** Pipes between the programs of a group. Each passes through here; with a name its beginning is kept. */
import type { InputStream, OutputStream } from '@sbx/core';
import type { Job, JobPipe } from './job.js';

/** A descriptor of one program that a pipe takes. */
export interface LinkEnd {
  fd: number;
  side: 'writer' | 'reader';
  /** The stream once the program runs; `null` when it does not. */
  attach(stream: InputStream | OutputStream | null): void;
  /** Everything has gone by: until then the stream must stay open, also when its program has ended. */
  passed: Promise<unknown>;
}

export interface Link {
  pipe: JobPipe;
  /** What went by first, once the writer has ended. */
  recording: Promise<Uint8Array>;
}

export interface Links {
  /** By program. */
  ends: LinkEnd[][];
  all: Link[];
}

export function makeLinks(job: Job): Links {
  const ends: LinkEnd[][] = job.programs.map(() => []);
  const all = job.pipes.map((pipe) => {
    const writer = deferred<OutputStream | null>();
    const reader = deferred<InputStream | null>();
    const recording = pass(pipe, writer.promise, reader.promise);
    ends[pipe.writer.index]!.push({
      fd: pipe.writer.fd,
      side: 'writer',
      attach: (stream) => writer.resolve(stream as OutputStream | null),
      passed: recording,
    });
    ends[pipe.reader.index]!.push({
      fd: pipe.reader.fd,
      side: 'reader',
      attach: (stream) => reader.resolve(stream as InputStream | null),
      passed: Promise.resolve(), // what an ended program has not read is nobody's
    });
    return { pipe, recording };
  });
  return { ends, all };
}

/** With a proxy the writer never notices that its reader is gone; without, it gets EPIPE as from any pipe. */
async function pass(
  pipe: JobPipe,
  writer: Promise<OutputStream | null>,
  reader: Promise<InputStream | null>,
): Promise<Uint8Array> {
  const [source, sink] = await Promise.all([writer, reader]);
  const kept: Uint8Array[] = [];
  let room = pipe.proxy && pipe.name !== '' ? Math.max(0, pipe.max) : 0;
  let open = sink !== null;
  if (source !== null && (open || pipe.proxy)) {
    for await (const chunk of source) {
      if (room > 0) kept.push(chunk.subarray(0, room));
      room = Math.max(0, room - chunk.byteLength);
      if (open) {
        open = await sink!.write(chunk).then(
          () => true,
          () => false,
        );
      }
      if (!open && !pipe.proxy) break;
    }
  }
  source?.destroy();
  sink?.destroy();
  return Buffer.concat(kept);
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
