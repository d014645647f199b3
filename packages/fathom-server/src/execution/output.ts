/**
 * One output stream of a program on its way to the client: read, counted, joined, decoded. Reading waits
 * whenever the connection has no room, and with it the program.
 */
import type { ProgramOutput } from '@sbx/core';

/**
 * Small writes are joined for so long at the most, counted from the last message; the first goes out at once.
 */
const JOIN_MS = 20;
/** Raw bytes of one message. */
const CHUNK_BYTES = 64 * 1024;
const EMPTY = new Uint8Array(0);

/** Where output goes. */
export interface Outlet {
  /** Output may be sent now. */
  hasRoom(): boolean;
  /**
   * Calls back, once, as soon as it is this one's turn. Returns what gives the turn up: until then the outlet
   * keeps the callback, and all that it refers to, for as long as the client takes nothing.
   */
  whenRoom(callback: () => void): () => void;
}

/** Bytes that an execution may still write, both streams together. */
export class OutputBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** How many of these count; fewer than asked when the limit is passed. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    return taken;
  }
}

export interface PumpOptions {
  outlet: Outlet;
  budget: OutputBudget;
  emit: (text: string) => void;
  /** More was written than the budget has; what was within it has been taken. */
  onOverflow: () => void;
  /** The client takes nothing, so nothing is read from the program; or that is over. */
  onBlocked: (isBlocked: boolean) => void;
}

export class OutputPump {
  /** Resolves when all that will be sent has been. */
  readonly done: Promise<void>;
  readonly #stream: ProgramOutput;
  readonly #options: PumpOptions;
  readonly #decoder = new Utf8Decoder();
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  /** Ends `#flushing` before its turn. */
  #flushNow: (() => void) | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isDiscarding = false;
  #stopNow: (() => void) | undefined;

  constructor(stream: ProgramOutput, options: PumpOptions) {
    this.#stream = stream;
    this.#options = options;
    const stopped = new Promise<void>((resolve) => {
      this.#stopNow = resolve;
    });
    this.done = Promise.race([this.#run(), stopped]);
  }

  /** Reads no more; what has been taken still goes out in its turn, less a character that is cut. */
  close(): void {
    this.#isClosed = true;
    this.#stream.destroy();
  }

  /** Reads no more and sends at once what has been taken, room or not: two messages at the most. */
  stop(): void {
    if (!this.#isClosed || this.#pendingBytes > 0) {
      this.close();
      this.#emit();
    }
    this.#isDiscarding = true;
    clearTimeout(this.#timer);
    this.#flushNow?.();
    this.#stopNow?.();
  }

  /** Nobody listens any more: the program is read to its end, for nothing. */
  discard(): void {
    this.#isDiscarding = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    clearTimeout(this.#timer);
    this.#flushNow?.();
  }

  async #run(): Promise<void> {
    await this.#stream.each((bytes) => (this.#isClosed ? null : this.#take(bytes)));
    await this.#flush();
    if (!this.#isClosed && !this.#isDiscarding) this.#send(this.#decoder.end());
  }

  /** A promise when reading must wait. */
  #take(bytes: Uint8Array): Promise<void> | null {
    const { budget, onOverflow } = this.#options;
    const counted = budget.take(bytes.length);
    if (!this.#isDiscarding && counted > 0)
      this.#keep(counted === bytes.length ? bytes : bytes.subarray(0, counted));
    if (counted < bytes.length) onOverflow();
    if (this.#isDiscarding || this.#pendingBytes === 0) return null;
    const waitMs = this.#sentAt + JOIN_MS - performance.now();
    if (this.#pendingBytes >= CHUNK_BYTES || waitMs <= 0) return this.#flush();
    this.#timer ??= setTimeout(() => void this.#flush(), waitMs);
    return null;
  }

  #keep(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** Sends what is pending, now or in its turn. */
  #flush(): Promise<void> | null {
    if (this.#flushing !== null) return this.#flushing;
    const { outlet, onBlocked } = this.#options;
    if (this.#pendingBytes === 0 || outlet.hasRoom()) {
      this.#emit();
      return null;
    }
    onBlocked(true);
    this.#flushing = new Promise((resolve) => {
      const goOn = () => {
        this.#flushing = null;
        this.#flushNow = undefined;
        onBlocked(false);
        this.#emit();
        resolve();
      };
      const giveUp = outlet.whenRoom(goOn);
      this.#flushNow = () => {
        giveUp();
        goOn();
      };
    });
    return this.#flushing;
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pendingBytes === 0 || this.#isDiscarding) return;
    const bytes = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#send(this.#decoder.decode(bytes.subarray(at, at + CHUNK_BYTES)));
    }
    this.#sentAt = performance.now();
  }

  #send(text: string): void {
    if (text !== '') this.#options.emit(text);
  }
}

/**
 * Bytes of one stream to text that is valid by itself, chunk by chunk. Decodes as if all chunks were one: a
 * character that is cut by the end of a chunk is held back until the rest of it comes. What is no UTF-8
 * becomes U+FFFD, one for each maximal bad piece. No byte order mark is taken off.
 */
export class Utf8Decoder {
  #held: Uint8Array = EMPTY;

  /** The text that is complete with these bytes. */
  decode(bytes: Uint8Array): string {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const end = all.length - incompleteTail(all);
    this.#held = end === all.length ? EMPTY : Uint8Array.prototype.slice.call(all, end);
    return textOf(all, end);
  }

  /** Nothing more comes: what is left of a cut character. */
  end(): string {
    const rest = this.#held;
    this.#held = EMPTY;
    return textOf(rest, rest.length);
  }
}

function textOf({ buffer, byteOffset }: Uint8Array, length: number): string {
  return length === 0 ? '' : Buffer.from(buffer, byteOffset, length).toString('utf8');
}

/**
 * Bytes at the end that may be the beginning of a character: from the last lead byte on, when it asks for
 * more than there is. A lead byte always begins something new, so cutting before it never changes what comes
 * before. What no byte can make a character any more is not waited with.
 */
function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < sequenceLength(byte) && isOnePiece(bytes.subarray(-back)) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** The beginning of a character is one maximal bad piece; bytes that do not fit together are several. */
function isOnePiece(tail: Uint8Array): boolean {
  return textOf(tail, tail.length) === '\ufffd';
}

/** 1 for bytes that begin no character. */
function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
