/** The reply: three lines. */
import { FifoError } from './errors.js';

/** What one reply says. */
export interface FifoReading {
  /** CPU time of the whole process tree so far, user + system, in microseconds. Never goes down. */
  cpuTimeUs: number;
  /** Memory held at this moment by the whole tree, in bytes; 0 once the program is gone. */
  memoryBytes: number;
  /** One line for people; `parseStatus` takes it apart. */
  status: string;
}

/** Line 3 in UTF-8 at the most, so that a reply is one atomic write to a pipe (4096 bytes). */
export const STATUS_BYTES_MAX = 1000;
/** What a client takes before it calls it no reply. */
export const REPLY_BYTES_MAX = 65_536;

const encoder = new TextEncoder();

/** The three lines, each ended by a line feed. */
export function encodeReply({ cpuTimeUs, memoryBytes, status }: FifoReading): Uint8Array {
  return encoder.encode(`${digits(cpuTimeUs)}\n${digits(memoryBytes)}\n${statusLine(status)}\n`);
}

/** A text as one line: no control characters, at most `STATUS_BYTES_MAX` bytes. */
export function statusLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  if (encoder.encode(line).length <= STATUS_BYTES_MAX) return line;
  const { read } = encoder.encodeInto(line, new Uint8Array(STATUS_BYTES_MAX - 3));
  return `${line.slice(0, read)}…`;
}

/** Decimal digits only: neither an exponent nor a fraction. */
function digits(value: number): string {
  return Number.isFinite(value) && value > 0
    ? String(Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER))
    : '0';
}

/** The reading in a whole reply. Throws a `FifoError` (`SBX_FIFO_BAD_REPLY`) when it is none. */
export function parseReply(reply: Uint8Array): FifoReading {
  const lines = new TextDecoder().decode(reply).trimEnd().split(/\r?\n/);
  // Two replies meet in one pipe when two clients ask at the same instant; the later one is as good.
  const [cpu = '', memory = '', ...status] = lines.slice(lines.length > 3 ? -3 : 0);
  if (status.length === 1 && status[0] !== '')
    return {
      cpuTimeUs: integer(cpu, 'CPU time'),
      memoryBytes: integer(memory, 'memory'),
      status: status[0]!,
    };
  throw badReply(`it has ${lines.length} lines instead of 3`);
}

function integer(text: string, what: string): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text.trim()) && Number.isSafeInteger(value)) return value;
  throw badReply(`its ${what} is ${JSON.stringify(text.slice(0, 40))} instead of an integer`);
}

function badReply(why: string): FifoError {
  return new FifoError({
    code: 'SBX_FIFO_BAD_REPLY',
    message: `The reply cannot be read: ${why}.`,
    details: { why },
  });
}

/** Collects a reply as it comes, in pieces of any size. */
export class ReplyReader {
  #bytes = new Uint8Array(0);

  /** Nothing has come. */
  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  /** Takes a piece. Throws when it is more than any reply. */
  push(piece: Uint8Array): void {
    const length = this.#bytes.length + piece.length;
    if (length > REPLY_BYTES_MAX) throw badReply(`it is longer than ${REPLY_BYTES_MAX} bytes`);
    const bytes = new Uint8Array(length);
    bytes.set(this.#bytes);
    bytes.set(piece, this.#bytes.length);
    this.#bytes = bytes;
  }

  /** The end of file has come. */
  finish(): FifoReading {
    return parseReply(this.#bytes);
  }
}
