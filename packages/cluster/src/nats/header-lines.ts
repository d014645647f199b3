/**
 * Headers of messages that a broker hands on as it got them. The library throws where it looks at one that it
 * cannot read, which in the callback of a subscription ends all reading of the connection; and it takes ten
 * seconds for 20,000 of them. Both would let any tenant stop all workers with one message.
 */
import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** Longer ones are looked through first. */
const QUICK_BYTES = 512;
/** Many times as many as submitters, workers and brokers write. Of a message with more none is believed. */
const LINES_MAX = 256;
/** What the library takes as a header. */
const READABLE = /^[!-9;-~]{1,256}:[^\r\n]*$/;

interface Decoder {
  decode(bytes: Uint8Array): MsgHdrs;
}

let isMended = false;

/** Lines that cannot be read are passed over, on all connections from now on; safe to call twice. */
export function passOverBrokenHeaders(): void {
  if (isMended) return;
  isMended = true;
  const library = headers().constructor as unknown as Decoder;
  const { decode } = library;
  library.decode = (bytes) => {
    if (bytes.byteLength > QUICK_BYTES) return decode(readableOf(bytes));
    try {
      return decode(bytes);
    } catch {
      return decode(readableOf(bytes));
    }
  };
}

function readableOf(bytes: Uint8Array): Uint8Array {
  const [status, ...lines] = Buffer.from(bytes).toString('utf8').split('\r\n');
  const kept = lines.length > LINES_MAX ? [] : lines.filter((line) => READABLE.test(line));
  return Buffer.from([status, ...kept].join('\r\n'));
}
