import type { Socket } from 'node:net';

/** What a handler sees of a request, however it came. */
export interface RequestContext {
  readonly socket: Socket;
  /**
   * Once; at once when it is there already. Throws or rejects with `BodyTooLarge`, or when the client goes
   * away.
   */
  readBody(maxBytes: number): Buffer | Promise<Buffer>;
}
