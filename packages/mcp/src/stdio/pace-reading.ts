/**
 * A client over a pair of streams that asks for more than it takes: it is not read meanwhile. The protocol's
 * transport reads all that comes and keeps each answer until it is taken, 7 KiB for a ping of 44 bytes.
 */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Requests whose answers have not been taken. What came with the same read, of 64 KiB, is on top. */
const COUNT_MAX = 256;
const BYTES_MAX = 64 * 2 ** 20;
/** Of answers: a few can be large. */
const UNTAKEN_BYTES_MAX = 2 ** 20;

type RequestId = string | number;

/** Of a transport that somebody listens to already. It ends with that. */
export function paceReading(transport: StdioServerTransport, input: Readable, output: Writable): void {
  const requests = new Requests();
  let arrivedBytes = 0;
  let isHeld = false;
  let isClosed = false;
  const look = () => {
    if (isClosed) return;
    const isFull = requests.count >= COUNT_MAX || requests.bytes > BYTES_MAX;
    const hold = isFull || output.writableLength > UNTAKEN_BYTES_MAX;
    if (hold === isHeld) return;
    isHeld = hold;
    if (hold) input.pause();
    else input.resume();
  };
  const onData = (chunk: Buffer) => {
    arrivedBytes += chunk.length;
  };
  const { onmessage, onclose } = transport;
  transport.onmessage = (message) => {
    requests.note(message, arrivedBytes);
    arrivedBytes = 0; // others of the same read are counted with the first
    onmessage?.(message);
    look();
  };
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    const sent = send(message);
    const taken = () => {
      requests.end(idOf(message));
      look();
    };
    sent.then(taken, taken);
    look();
    return sent;
  };
  transport.onclose = () => {
    isClosed = true;
    input.off('data', onData);
    if (input.listenerCount('data') === 0) input.pause();
    onclose?.();
  };
  input.prependListener('data', onData);
  output.setMaxListeners(0); // each answer that waits listens
}

/** `undefined` of a notification, and of an answer to what could not be read. */
function idOf(message: JSONRPCMessage): RequestId | undefined {
  return 'id' in message ? message.id : undefined;
}

/** Under way, by their ids, which a client may give twice. */
class Requests {
  readonly #bytes = new Map<RequestId, number[]>();
  bytes = 0;
  count = 0;

  /** Of what a client sends. A request that it cancels is not answered. */
  note(message: JSONRPCMessage, bytes: number): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled')
      return this.end(message.params?.requestId as RequestId | undefined);
    const id = idOf(message);
    if (id === undefined) return;
    this.#bytes.set(id, [...(this.#bytes.get(id) ?? []), bytes]);
    this.count += 1;
    this.bytes += bytes;
  }

  /** Its answer has been taken. */
  end(id: RequestId | undefined): void {
    if (id === undefined) return;
    const [first, ...others] = this.#bytes.get(id) ?? [];
    if (first === undefined) return;
    if (others.length > 0) this.#bytes.set(id, others);
    else this.#bytes.delete(id);
    this.count -= 1;
    this.bytes -= first;
  }
}
