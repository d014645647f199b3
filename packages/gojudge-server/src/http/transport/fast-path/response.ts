/** Answers as Node's HTTP server would write them, header by header. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from '../../responses.js';
import { type ChunkSink, sendChunks } from '../chunks.js';

/** Resolves with the body's size when the kernel takes more, or the client is gone. */
export async function writeResponse(socket: Socket, answer: Response, isLast: boolean): Promise<number> {
  const { headers, body } = answer;
  if (typeof body === 'string') {
    if (!socket.write(headOf(answer, isLast, '') + body)) await drained(socket);
    return Number(headers['Content-Length']);
  }
  socket.write(headOf(answer, isLast, 'Transfer-Encoding: chunked\r\n'));
  const chunked = new Chunked(socket);
  await sendChunks(chunked, body);
  return chunked.bytes;
}

function headOf({ status, headers }: Response, isLast: boolean, framing: string): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}Date: ${date()}\r\nConnection: ${isLast ? 'close' : 'keep-alive'}\r\n${framing}\r\n`;
}

let second = 0;
let text = '';

/** Made once a second. */
function date(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return text;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
    if (socket.destroyed) done();
  });
}

/** A body in chunks (RFC 9112, section 7.1). */
class Chunked implements ChunkSink {
  bytes = 0;
  readonly #socket: Socket;
  #listener: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  write(chunk: Uint8Array, written: () => void): void {
    if (chunk.length === 0) return written(); // as a chunk it would be the end
    this.bytes += chunk.length;
    const socket = this.#socket;
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n', written);
    socket.uncork();
  }

  end(): void {
    this.#socket.write('0\r\n\r\n', () => {
      this.#socket.off('close', this.#listener);
      this.#listener();
    });
  }

  once(_event: 'close', listener: () => void): void {
    this.#listener = listener;
    this.#socket.once('close', listener);
  }
}
