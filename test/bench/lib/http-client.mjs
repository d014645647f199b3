/**
 * A keep-alive connection that costs little: benchmarks of servers share the CPUs with them. Knows just
 * enough of HTTP for answers with a length or in chunks.
 */
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('0\r\n\r\n');
const CLOSED = 'the server closed the connection';

/** A whole request, ready to be sent again and again. */
export function makeRequest({ method = 'POST', path, headers = {}, body = '' }) {
  const content = Buffer.from(body);
  const lines = Object.entries({ host: 'localhost', 'content-length': content.byteLength, ...headers });
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

export class Connection {
  #socket;
  #chunks = [];
  #bytes = 0;
  #head = null;
  #settle = null;

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk) => this.#onData(chunk));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error(CLOSED)));
  }

  /** One at a time. Resolves with `{ status, body }`; chunked bodies come as they were framed. */
  send(request) {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error(CLOSED));
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close() {
    this.#settle = null;
    this.#socket.destroy();
  }

  #onData(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    this.#head ??= this.#parseHead();
    if (this.#head === null || !this.#isWhole(chunk)) return;
    const body = Buffer.concat(this.#chunks).subarray(this.#head.bodyAt);
    const { status } = this.#head;
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = null;
    this.#settle.resolve({ status, body });
  }

  #parseHead() {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const at = all.indexOf(HEAD_END);
    if (at < 0) return null;
    const text = all.subarray(0, at).toString('latin1');
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    return { status: Number(text.slice(9, 12)), bodyAt: at + 4, length: length && Number(length[1]) };
  }

  #isWhole(last) {
    const { bodyAt, length } = this.#head;
    if (length !== null) return this.#bytes >= bodyAt + length;
    const end = last.byteLength >= CHUNKS_END.byteLength ? last : Buffer.concat(this.#chunks);
    return end.subarray(-CHUNKS_END.byteLength).equals(CHUNKS_END);
  }
}
