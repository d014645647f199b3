/** `sandbox.snapshot()`: the archive of a work folder as a stream. */
import { Readable } from 'node:stream';
import { onAbort } from '@sbx/shared';
import { packTree } from '../files/pack.js';
import { SANDBOX_UID } from '../options/defaults.js';
import { validateSnapshot } from '../options/file-calls.js';
import type { Session } from '../run/session.js';
import { untilClosed } from '../streams/until-closed.js';
import type { SnapshotOptions } from '../types/files.js';

const BYTES_MAX = 512 * 2 ** 20;
const FILE_COUNT_MAX = 65_536;

export function snapshotOf(session: Session, options: SnapshotOptions): Readable {
  validateSnapshot(options);
  session.checkOpen();
  const { maxBytes = BYTES_MAX, maxFileCount = FILE_COUNT_MAX, signal } = options;
  const { core, folder } = session.lease;
  const uid = core.options.insideUid ?? SANDBOX_UID;
  const packed = packTree(folder, { maxBytes, maxFileCount, uid });
  const archive = untilClosed(Readable.from(packed, { objectMode: false }), folder.closing());
  if (signal === undefined) return archive;
  const abort = () => void archive.destroy(signal.reason as Error);
  if (signal.aborted) abort();
  else archive.once('close', onAbort(signal, abort));
  return archive;
}
