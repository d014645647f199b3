/** The two layouts: which pipes there are, what the digits mean, and what goes where in a reply. */
import { encodeLegacyReply, LEGACY_PIPES, LEGACY_REPLY_ORDER } from '../legacy.js';
import { DOWNWARD_PIPE, PIPE_ALIASES, STATUS_PIPE, UPWARD_PIPE, WAIT_PIPE } from '../names.js';
import { encodeReply, type FifoReading } from '../reply.js';
import { LEGACY_REQUEST_BYTES, REQUEST_BYTES, type RequestBytes } from '../request.js';

export interface Layout {
  wait: string;
  /** Pipes of a reply, in the order in which a client opens them. */
  replies: readonly string[];
  /** What goes into each of `replies`. */
  encode: (reading: FifoReading) => readonly Uint8Array[];
  requestBytes: RequestBytes;
  downward: string;
  upward: string;
  /** Symbolic links: name → target. */
  aliases: Readonly<Record<string, string>>;
  /**
   * The program starts when a client has opened both ends of its input and output; requests are taken from
   * then on.
   */
  startsWhenOpened: boolean;
}

export const LAYOUTS: Readonly<Record<'two-pipe' | 'legacy', Layout>> = {
  'two-pipe': {
    wait: WAIT_PIPE,
    replies: [STATUS_PIPE],
    encode: (reading) => [encodeReply(reading)],
    requestBytes: REQUEST_BYTES,
    downward: DOWNWARD_PIPE,
    upward: UPWARD_PIPE,
    aliases: PIPE_ALIASES,
    startsWhenOpened: false,
  },
  legacy: {
    wait: LEGACY_PIPES.wait,
    replies: LEGACY_REPLY_ORDER,
    encode: encodeLegacyReply,
    requestBytes: LEGACY_REQUEST_BYTES,
    downward: LEGACY_PIPES.downward,
    upward: LEGACY_PIPES.upward,
    aliases: {},
    startsWhenOpened: true,
  },
};
