/** Bytes of one stream to text that is valid by itself, chunk by chunk. */

const EMPTY = new Uint8Array(0);

/**
 * Decodes as if all chunks were one: a character that is cut by the end of a chunk is held back until the
 * rest of it comes. What is no UTF-8 becomes U+FFFD, one for each maximal bad piece. No byte order mark is
 * taken off.
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
