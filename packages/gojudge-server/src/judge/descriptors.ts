/** Descriptors that a result holds. They have one owner at a time, which closes them. */
import { closeSync } from 'node:fs';
import type { RunResult } from '@sbx/core';

/** Closes those of files and outputs that went to the store, or that nobody will get. */
export function closeDescriptors(result: RunResult | null): void {
  if (result === null) return;
  const all = [
    result.stdout,
    result.stderr,
    ...Object.values(result.outputs),
    ...Object.values(result.files),
  ];
  for (const fd of new Set(all.map((one) => one.fd))) if (fd !== null) closeSync(fd);
}

/**
 * What has ended, once everything of it has been sent. When sending fails nobody gets it, so `close` is
 * called.
 */
export async function whenSent<T>(
  ended: Promise<T>,
  sending: Promise<unknown>,
  close: (ended: T) => void,
): Promise<T> {
  const [result, sent] = await Promise.allSettled([ended, sending]);
  if (result.status === 'rejected') throw result.reason;
  if (sent.status === 'fulfilled') return result.value;
  close(result.value);
  throw sent.reason;
}
