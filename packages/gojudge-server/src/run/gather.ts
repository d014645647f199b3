/** After the end: collectors' contents and the files that were asked for, as text or into the store. */
import type { Sandbox } from '@sbx/core';
import { errnoOf, errnoText, plainText } from '../errors.js';
import type { CopyOutEntry, JobProgram } from './job.js';
import { type Gathered, noteFileError, nothingGathered } from './outcome.js';
import type { RunScope } from './scope.js';
import type { Collector } from './stdio.js';
import { workPath } from './work-path.js';

/** One read of a file takes no more. */
const READ_BYTES_MAX = 2 ** 31 - 1;
/** Cached files above this go to the store in pieces. */
const PIECEWISE_BYTES = 1024 * 1024;

/** Contents of collectors that were read while the program ran, by name. */
export type Collected = Map<string, Uint8Array>;

export async function gather(
  scope: RunScope,
  sandbox: Sandbox,
  program: JobProgram,
  collectors: readonly Collector[],
  collected: Collected,
): Promise<Gathered> {
  const gathered = nothingGathered();
  for (const entry of program.copyOut) await copyOut(scope, sandbox, program, entry, gathered);
  for (const collector of collectors) {
    const bytes = collected.get(collector.name) ?? (await readCollector(scope, sandbox, collector));
    const isOver = collector.max < 0 || bytes.byteLength > collector.max;
    if (isOver) noteFileError(gathered, collector.name, 'CollectSizeExceeded', 'Output Limit Exceeded');
    await keep(scope, gathered, collector.name, program.cachedNames.has(collector.name), bytes);
  }
  return gathered;
}

/** A file's first bytes, one more than its bound. A path that is gone was made nothing of. */
async function readCollector(
  scope: RunScope,
  sandbox: Sandbox,
  { name, max }: Collector,
): Promise<Uint8Array> {
  const path = workPath(name, scope.settings);
  if (path === null || max < 0) return new Uint8Array(0);
  try {
    return await readBeginning(sandbox, path, max + 1);
  } catch (error) {
    if (errnoOf(error) === 0) throw error;
    return new Uint8Array(0);
  }
}

/** At most `bytes` of a file. Throws `FileAccessError`. */
async function readBeginning(sandbox: Sandbox, path: string, bytes: number): Promise<Uint8Array> {
  const maxBytes = Math.min(bytes, READ_BYTES_MAX);
  try {
    return await sandbox.readFile(path, { maxBytes });
  } catch (error) {
    if (errnoOf(error) !== 27) throw error;
  }
  const kept: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of sandbox.createReadStream(path)) {
    kept.push((chunk as Uint8Array).subarray(0, room));
    room -= kept.at(-1)!.byteLength;
    if (room === 0) break;
  }
  return Buffer.concat(kept);
}

/** Puts contents where they were asked for; a store that refuses is a file error. */
async function keep(
  scope: RunScope,
  gathered: Gathered,
  name: string,
  cached: boolean,
  data: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!cached) return void gathered.files.set(name, data as Uint8Array);
  try {
    gathered.fileIds.set(name, await scope.store.add(name, data));
  } catch (error) {
    noteFileError(gathered, name, 'CopyOutCreateFile', plainText(error));
  }
}

async function copyOut(
  scope: RunScope,
  sandbox: Sandbox,
  program: JobProgram,
  entry: CopyOutEntry,
  gathered: Gathered,
): Promise<void> {
  const { name, optional, cached } = entry;
  const path = workPath(name, scope.settings);
  const size = path === null ? openFailure(name, 2) : await regularSize(sandbox, path, name);
  if (typeof size === 'string') {
    if (!optional) noteFileError(gathered, name, 'CopyOutOpen', size);
    return;
  }
  const { copyOutMax, truncate } = program;
  const isOver = size > copyOutMax;
  if (isOver) {
    const message = truncate
      ? `copyout: "${name}" size exceeds limit (${copyOutMax})`
      : `copyout: "${name}" size (${size}) exceeds limit (${copyOutMax})`;
    noteFileError(gathered, name, 'CopyOutSizeExceeded', message);
    if (!truncate) return;
  }
  if (cached && !isOver && size > PIECEWISE_BYTES) {
    return keep(scope, gathered, name, true, sandbox.createReadStream(path!));
  }
  await keep(scope, gathered, name, cached, await readBeginning(sandbox, path!, Math.min(size, copyOutMax)));
}

/** Size, or why it cannot be opened. The last step is never followed, so no link leads out. */
async function regularSize(sandbox: Sandbox, path: string, name: string): Promise<number | string> {
  try {
    const { kind, sizeBytes } = await sandbox.lstat(path);
    return kind === 'file' ? sizeBytes : `${name} is not a regular file`;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 0) throw error;
    return openFailure(name, errno);
  }
}

function openFailure(name: string, errno: number): string {
  return `${errno === 20 ? 'lstat' : 'open'} ${name}: ${errnoText(errno)}`;
}
