/**
 * The reading end of `wait`. One descriptor for the life of the process, open for reading and writing: so no
 * writer ever waits for us, and the last one to close is no end of file. The loop tells when bytes are there;
 * no thread waits.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { type FifoRequest, parseRequests, type RequestBytes } from '../request.js';

const READ_BYTES = 65_536;

export class Inbox {
  readonly #fd: number;
  readonly #bytes: RequestBytes;
  readonly #onRequests: (requests: FifoRequest[]) => void;
  #socket: Socket | null = null;
  #isClosed = false;

  /** Opens it: from now on clients can write. Nothing is read before `listen`. */
  constructor(path: string, bytes: RequestBytes, onRequests: (requests: FifoRequest[]) => void) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#bytes = bytes;
    this.#onRequests = onRequests;
  }

  listen(): void {
    if (this.#isClosed || this.#socket !== null) return;
    this.#socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    this.#socket.on('error', () => undefined); // a FIFO of our own has none that we could mend
    this.#socket.on('data', (read) => this.#takeInTurn(this.#socket!, read));
  }

  /** Others have their turns after each read: a client may write more than can ever be read. */
  #takeInTurn(socket: Socket, read: Uint8Array): void {
    socket.pause();
    this.#take(read);
    setImmediate(() => socket.resume());
  }

  /** Takes what is there at this moment, before the loop would tell. */
  look(): void {
    if (this.#isClosed || this.#socket === null) return;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    try {
      this.#take(buffer.subarray(0, readSync(this.#fd, buffer)));
    } catch {
      // EAGAIN: nothing is there
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#socket === null) closeSync(this.#fd);
    else this.#socket.destroy();
  }

  #take(read: Uint8Array): void {
    const requests = parseRequests(read, this.#bytes);
    if (requests.length > 0) this.#onRequests(requests);
  }
}
