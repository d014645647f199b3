/** Text of messages, both ways. */
import { PROTOCOL_VERSION } from './limits.js';
import type { ClientMessage, ServerMessage } from './messages.js';

/** A message still to be stamped. */
export type Unstamped<Message extends { type: string } = ClientMessage | ServerMessage> =
  Message extends unknown ? Omit<Message, 'v' | 'ts'> : never;

/** The clock of one connection: UTC with milliseconds, never going backwards. */
export class Stamper {
  #last = 0;
  #text = '';

  /** Now, as messages say it. */
  now(): string {
    const now = Date.now();
    if (now > this.#last) {
      this.#last = now;
      this.#text = new Date(now).toISOString();
    }
    return this.#text;
  }
}

/** One message as it goes over the wire. */
export function encodeMessage({ type, ...fields }: Unstamped, ts: string): string {
  return JSON.stringify({ v: PROTOCOL_VERSION, type, ts, ...fields });
}
