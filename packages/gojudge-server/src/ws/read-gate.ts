/**
 * Whether a socket is read, for which there are several that may want it to wait: inputs of its programs that
 * are full, answers that its client does not take, requests that have no room.
 */
import type { WebSocket } from 'ws';

export class ReadGate {
  readonly #socket: WebSocket;
  readonly #probeMs: number;
  readonly #full = new Set<object>();
  #probe: NodeJS.Timeout | null = null;

  /** `probeMs`: a socket that is not read does not see its end; one that is written to now and then does. */
  constructor(socket: WebSocket, probeMs: number) {
    this.#socket = socket;
    this.#probeMs = probeMs;
  }

  /** Not while any of them is full, however much room the others have. */
  close(full: object): void {
    this.#full.add(full);
    this.#socket.pause();
    this.#probe ??= setInterval(() => this.#socket.ping(), this.#probeMs).unref();
  }

  /** Safe to call for one that was not full. */
  open(full: object): void {
    if (!this.#full.delete(full) || this.#full.size > 0) return;
    this.#endProbe();
    this.#socket.resume();
  }

  /** The socket has gone. */
  stop(): void {
    this.#full.clear();
    this.#endProbe();
  }

  #endProbe(): void {
    if (this.#probe !== null) clearInterval(this.#probe);
    this.#probe = null;
  }
}
