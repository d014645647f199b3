/** Between the streams of core and those of the Web. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InputStream, Process } from '@sbx/core';

/** An abort ends it with its reason. */
export function webStream(stream: Readable, signal?: AbortSignal): ReadableStream<Uint8Array> {
  if (signal !== undefined) {
    const abort = () => stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    stream.once('close', () => signal.removeEventListener('abort', abort));
  }
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

/** An abort ends it with its reason, also when nothing comes any more. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const abort = () => void reader.cancel(signal!.reason).catch(() => undefined);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted(); // whoever reads may begin later
    for (;;) {
      const { value, done } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    void reader.cancel().catch(() => undefined);
  }
}

/** Closing it is the end of file for the program. */
export function writableStream(stdin: InputStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) => stdin.write(chunk),
    close: () => stdin.end(),
    abort: () => stdin.end().catch(() => undefined),
  });
}

/** Signals that are sent to end a process; a shell may wait for its child all the same. */
const ENDING: ReadonlySet<NodeJS.Signals | number> = new Set([
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  1,
  2,
  3,
  15,
]);
const GRACE_MS = 500;

/**
 * Ends a process and all that it has started, with a signal after some time; resolves when it is dead. Other
 * signals are only sent.
 */
export async function kill(process: Process, signal?: NodeJS.Signals | number): Promise<void> {
  const dead = process.result.then(
    () => undefined,
    () => undefined,
  );
  if (signal !== undefined) process.kill(signal);
  if (signal !== undefined && !ENDING.has(signal)) return;
  if (signal !== undefined) await Promise.race([dead, sleep(GRACE_MS, undefined, { ref: false })]);
  process.kill();
  await dead;
}
