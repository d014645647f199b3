/** `--record`: what happened on the pipes, one JSON object a line, as it happens. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { FifoEnd, FifoEvent, FifoManager } from '@sbx/fifo-protocol/server';
import { EXIT } from '../exit-codes.js';
import { say } from '../terminal.js';
import { UsageError } from '../usage-error.js';

type RecordedEvent =
  | { kind: 'ready'; dir: string }
  | FifoEvent
  | ({ kind: 'end' } & Pick<FifoEnd, 'reason' | 'delivered' | 'reading'>);

export class Recording {
  readonly #path: string;
  readonly #startedAt = performance.now();
  #fd: number | null;

  /** Makes the file, or empties it. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, 'w', 0o600);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`--record: ${path} cannot be written (${code})`, null, EXIT.ioError);
    }
  }

  /** One line. A file that takes no more ends the recording, not the program. */
  write(event: RecordedEvent): void {
    if (this.#fd === null) return;
    const atMs = Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
    try {
      writeSync(this.#fd, `${JSON.stringify({ time: new Date().toISOString(), atMs, ...event })}\n`);
    } catch (error) {
      say(`warning: nothing more is recorded: ${this.#path}: ${(error as Error).message}`);
      this.close();
    }
  }

  /** The last line. */
  async end(manager: FifoManager): Promise<void> {
    const { reason, delivered, reading } = await manager.finished;
    this.write({ kind: 'end', reason, delivered, reading });
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}
