/** One protocol behind the common port. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Protocol } from '../options.js';

export interface Part {
  protocol: Protocol;
  /** Of `@sbx/languages`, which it takes as source text. */
  languages: readonly string[];
  /** Whether requests of this path are its own. */
  owns(path: string): boolean;
  /** Whether upgrades of this path are its own. */
  ownsUpgrade(path: string): boolean;
  /**
   * Its own check of entry says more to its clients than the common one, which refuses foreign pages alone.
   */
  handler(request: IncomingMessage, response: ServerResponse): void;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** In the text format of Prometheus; empty for none. */
  metrics(): Promise<string>;
  /** Requests under way, and requests in a queue. */
  load(): { active: number; waiting: number };
  close(): Promise<void>;
}
