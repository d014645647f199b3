/**
 * The reading end of `wait`. One descriptor for the life of the process, open for reading and writing: so no writer ever
 * waits for us, and the last one to close is no end of file. The loop tells when bytes are there; no thread waits.
 */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { type FifoRequest, parseRequests, type RequestBytes } from '../request.js';

export class Inbox {
  readonly #socket: Socket;

  constructor(path: string, bytes: RequestBytes, onRequests: (requests: FifoRequest[]) => void) {
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.#socket.on('error', () => undefined); // a FIFO of our own has none that we could mend
    this.#socket.on('data', (read) => {
      const requests = parseRequests(read, bytes);
      if (requests.length > 0) onRequests(requests);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
