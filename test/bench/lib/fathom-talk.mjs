/** A client of plain `ws` that takes times. */
import { WebSocket } from 'ws';

const LIMITS = { timeout_ms: 60_000, memory_mb: 256, max_output_bytes: 64 * 2 ** 20 };
const TS = '2025-12-27T11:30:00.000Z';

export class FathomTalk {
  #socket;
  #next = 0;
  #running = new Map();

  static async open(url) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new FathomTalk(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#onMessage(JSON.parse(data.toString())));
  }

  close() {
    this.#socket.close();
  }

  /** Sends it; times from then to the first byte of stdout and to the result, in ms, and how much came. */
  timed(fields) {
    const id = `b${this.#next++}`;
    const message = { v: 1, type: 'execute', id, ts: TS, ...fields, limits: LIMITS };
    return new Promise((resolve, reject) => {
      this.#running.set(id, { start: performance.now(), first: 0, bytes: 0, resolve, reject });
      this.#socket.send(JSON.stringify(message));
    });
  }

  #onMessage(message) {
    const run = this.#running.get(message.id);
    if (message.type === 'stdout') {
      run.first ||= performance.now() - run.start;
      run.bytes += message.data.length;
    } else if (message.type === 'error') {
      run.reject(new Error(`${message.code}: ${message.message}`));
    } else if (message.type === 'result') {
      this.#running.delete(message.id);
      const { first, bytes, start } = run;
      const end = performance.now() - start;
      if (message.exit_code === 0) run.resolve({ first, end, bytes });
      else run.reject(new Error(`ended with ${message.exit_code}`));
    }
  }
}
