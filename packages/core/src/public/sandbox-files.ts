/** The calls of a sandbox on its files. */
import type { Readable } from 'node:stream';
import type { Session } from '../run/session.js';
import type { SnapshotOptions, WatchEvent, WatchOptions } from '../types/files.js';
import { FileCalls } from './file-calls.js';
import { snapshotOf } from './snapshot.js';
import { watchFolder } from './watch.js';

const NO_OPTIONS = Object.freeze({});

/** The file half of `Sandbox`: the calls on files, and the two that look at a whole folder. */
export abstract class SandboxFiles extends FileCalls {
  readonly #session: Session;

  /** @internal */
  protected constructor(session: Session) {
    super(session.lease.folder, () => session.checkOpen());
    this.#session = session;
  }

  /**
   * The work folder as a tar archive (POSIX pax): files, folders, symbolic and hard links with permissions
   * and times, as they are when they are reached; pipes and sockets are left out. For
   * `Sandbox.create({ workspace })`, or a file:
   * `pipeline(sandbox.snapshot(), createWriteStream('work.tar'))`. What is at fault comes as the stream's
   * error: a `FileAccessError`, at a bound `SBX_FILE_TOO_LARGE`.
   */
  snapshot(options: SnapshotOptions = NO_OPTIONS): Readable {
    return snapshotOf(this.#session, options);
  }

  /**
   * Differences between looks at a folder; the first one is being taken when the call returns. Each further
   * one is taken when the iteration asks for more: a slow reader sees fewer of them and nothing piles up. It
   * ends when the sandbox is closed.
   *
   * @example
   * ```ts
   * for await (const { kind, path } of sandbox.watch('src', { recursive: true, signal }))
   *   console.log(kind, path);
   * ```
   */
  watch(path = '.', options: WatchOptions = NO_OPTIONS): AsyncIterableIterator<WatchEvent> {
    return watchFolder(this.#session, path, options);
  }
}
