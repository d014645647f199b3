/** What is in a sandbox that stays before its first program. */
import { onAbort } from '@sbx/shared';
import { ClosedError } from '../errors.js';
import { copyIn } from '../files/copy.js';
import { unpackTree } from '../files/unpack.js';
import type { SandboxLease } from '../run/sandbox-lease.js';
import type { SandboxOptions } from './options.js';

/** Ends with an abort of the caller's, and when the engine closes: a source may never give anything. */
export async function fillFolder(lease: SandboxLease, options: SandboxOptions): Promise<void> {
  const { signal, workspace, files } = options;
  signal?.throwIfAborted();
  if (workspace === undefined && files === undefined) return;
  const { core, folder } = lease;
  const stop = new AbortController();
  const release = onAbort(signal, () => stop.abort(signal?.reason));
  const closer = async () => {
    stop.abort(new ClosedError('The engine'));
    lease.close();
  };
  core.closers.add(closer);
  try {
    if (workspace !== undefined) await unpackTree(folder, workspace, stop.signal);
    if (files !== undefined) await copyIn(folder, files);
    stop.signal.throwIfAborted();
  } finally {
    core.closers.delete(closer);
    release();
  }
}
