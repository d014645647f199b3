/**
 * The request: one character. The page of the protocol and the programs of its authors give the two digits
 * opposite meanings; which is which stands here and nowhere else.
 */

/** What a byte on `wait` asks for. */
export type FifoRequest =
  /** The program may go on. */
  | { kind: 'go-on' }
  /** The program shall end; nothing is asked afterwards. */
  | { kind: 'last-call' }
  /** Neither: answered as `go-on`, with a complaint, since silence would hang the client. */
  | { kind: 'stray'; byte: number };

/** Which byte means what. */
export type RequestBytes = Readonly<Record<'go-on' | 'last-call', number>>;

/** As the protocol says: `1` go on, `0` last call. */
export const REQUEST_BYTES: RequestBytes = { 'go-on': 0x31, 'last-call': 0x30 };
/** As the programs of 2018 had it: the other way round. */
export const LEGACY_REQUEST_BYTES: RequestBytes = { 'go-on': 0x30, 'last-call': 0x31 };

/** People write `echo 1 > wait`, so white space may come along: tab, line feed, carriage return, blank. */
const WHITE_SPACE = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** The byte to write to `wait`. */
export function encodeRequest(kind: 'go-on' | 'last-call', bytes: RequestBytes = REQUEST_BYTES): Uint8Array {
  return Uint8Array.of(bytes[kind]);
}

/**
 * What one read of `wait` asks for, in order. Several clients may come in one read. Nothing counts after a
 * last call.
 */
export function parseRequests(read: Uint8Array, bytes: RequestBytes = REQUEST_BYTES): FifoRequest[] {
  const requests: FifoRequest[] = [];
  for (const byte of read) {
    if (WHITE_SPACE.has(byte)) continue;
    if (byte === bytes['last-call']) return [...requests, { kind: 'last-call' }];
    requests.push(byte === bytes['go-on'] ? { kind: 'go-on' } : { kind: 'stray', byte });
  }
  return requests;
}
