/** What a run comes back with. */
import type { GojudgeClient } from './client.js';
import { figuresOf, type RunFigures } from './request.js';
import { StoredFile } from './stored-file.js';
import type { WireResult, WireStatus } from './wire/index.js';

/** How one program ended. Owns the files that it left on the server: dispose it, or delete them. */
export class RunOutcome implements AsyncDisposable {
  /** As on the wire. */
  readonly wire: WireResult;
  readonly status: WireStatus;
  /** `status === 'Accepted'`. */
  readonly ok: boolean;
  /** Exit code, or number of the signal. */
  readonly exitStatus: number;
  readonly figures: RunFigures;
  /** Collected and copied files as text, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Files of `copyOutCached`, by name. */
  readonly stored: Readonly<Record<string, StoredFile>>;

  /** @internal */
  constructor(client: GojudgeClient, wire: WireResult) {
    this.wire = wire;
    this.status = wire.status;
    this.ok = wire.status === 'Accepted';
    this.exitStatus = wire.exitStatus;
    this.figures = figuresOf(wire);
    this.files = wire.files ?? {};
    this.stored = Object.fromEntries(
      Object.entries(wire.fileIds ?? {}).map(([name, id]) => [name, new StoredFile(client, id)]),
    );
  }

  /** `files.stdout`, empty when it was not collected. */
  get stdout(): string {
    return this.files.stdout ?? '';
  }

  /** `files.stderr`, empty when it was not collected. */
  get stderr(): string {
    return this.files.stderr ?? '';
  }

  /** Deletes what is left on the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.stored).map((file) => file[Symbol.asyncDispose]()));
  }
}
