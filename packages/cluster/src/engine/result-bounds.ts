/**
 * What a worker may send back. Its list of contents is a few KiB and may name any number of files, the same
 * one again and again; all of them would be in this process's memory.
 */
import { SbxError } from '@sbx/core';
import type { Blob } from '../wire/blob.js';
import type { WireOutcome, WireOutputData, WireResult } from '../wire/outcome.js';

/** Throws `SbxError` before anything is fetched. Each content counts as often as it is named. */
export function checkOutcome(outcome: WireOutcome, bytesMax: number): void {
  if (outcome.kind === 'error') return;
  const results = outcome.kind === 'run' ? [outcome.result] : outcome.results;
  const recordings = outcome.kind === 'run' ? [] : outcome.recordings;
  let bytes = sizeOfAll(recordings);
  for (const result of results) if (result !== null) bytes += sizeOfResult(result);
  if (bytes <= bytesMax) return;
  throw refused(
    `of ${bytes} bytes, and this process takes ${bytesMax}: ask for less, or raise its resultBytesMax`,
  );
}

function sizeOfResult({ stdout, stderr, outputs, files }: WireResult): number {
  checkUnlike(outputs, 'an output');
  checkUnlike(files, 'a file');
  const named = outputs.map(([, output]) => output);
  return sizeOfAll([stdout, stderr, ...named, ...files.map(([, file]) => file)]);
}

function sizeOfAll(all: readonly (Pick<WireOutputData, 'blob'> | null)[]): number {
  return all.reduce((sum, one) => sum + (one === null ? 0 : sizeOf(one.blob)), 0);
}

function sizeOf(blob: Blob): number {
  return 'at' in blob ? blob.at[1] : blob.sizeBytes;
}

/** Of two with one name the first would be lost, with the descriptor that was made for it. */
function checkUnlike(pairs: readonly [string | number, unknown][], what: string): void {
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw refused(`that names ${what} twice`);
}

function refused(what: string): SbxError {
  return new SbxError({ code: 'SBX_INTERNAL', message: `The worker sent a result ${what}.` });
}
