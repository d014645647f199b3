/**
 * The program's stdin and stdout as pipes of the directory. The bytes pass through the host, with back
 * pressure: so the program holds no descriptor of a pipe in the directory, and an end of file is the client's
 * own.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { Pacing } from './pacing.js';
import { openForReader } from './reader-wait.js';
import type { ManagedProgram, ProgramInput, ProgramOutput } from './types.js';

/** A client may open `upward` at any time, or never. */
const PAUSE_MS_MAX = 100;
/**
 * A client that sees the end of output asks why. When the program has died, the report of that is a moment
 * behind the end of its output: the client sees the one after the other.
 */
const END_REPORT_MS = 100;

export class Relay {
  readonly #downward: Socket;
  readonly #upwardPath: string;
  readonly #abort = new AbortController();
  #upwardFd: number | null = null;
  #upward: Socket | null = null;

  /** Opens both: from now on clients can. Nothing is read before `connect`. */
  constructor(downward: string, upward: string) {
    // Without a writer there is no event; the end of file comes when the last one of those who came has left.
    const fd = openSync(downward, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#downward = new Socket({ fd, readable: true, writable: false });
    this.#downward.on('error', () => undefined);
    this.#upwardPath = upward;
  }

  /** Somebody has opened `upward` for reading; `false` when the relay was closed before. */
  async opened(): Promise<boolean> {
    const { signal } = this.#abort;
    const wait = { deadline: () => Number.POSITIVE_INFINITY, pacing: new Pacing(PAUSE_MS_MAX), signal };
    this.#upwardFd ??= await openForReader(this.#upwardPath, wait);
    if (!signal.aborted) return this.#upwardFd !== null;
    this.#dropFd();
    return false;
  }

  /** Starts passing on. */
  connect({ stdin, stdout, result }: ManagedProgram): void {
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    if (stdin) void this.#passDown(stdin);
    if (stdout) void this.#passUp(stdout, ended);
  }

  /** There is no program: clients see end of file. */
  async refuse(): Promise<void> {
    this.#downward.destroy();
    if (await this.opened()) this.#dropFd();
  }

  close(): void {
    this.#abort.abort();
    this.#downward.destroy();
    this.#upward?.destroy();
    this.#dropFd();
  }

  #dropFd(): void {
    if (this.#upwardFd !== null) closeSync(this.#upwardFd);
    this.#upwardFd = null;
  }

  async #passDown(stdin: ProgramInput): Promise<void> {
    try {
      for await (const chunk of this.#downward) await stdin.write(chunk as Uint8Array);
      await stdin.end();
    } catch {
      this.#downward.destroy(); // the program reads no more: the client gets EPIPE
    }
  }

  async #passUp(stdout: ProgramOutput, ended: Promise<void>): Promise<void> {
    // Asked for at once: who has an output and does not read it is warned, and here the client decides when
    // it is read.
    const chunks = stdout[Symbol.asyncIterator]();
    const first = chunks.next();
    first.catch(() => undefined); // told below
    if (!(await this.opened())) return;
    const socket = new Socket({ fd: this.#upwardFd!, readable: false, writable: true });
    this.#upward = socket;
    this.#upwardFd = null; // the socket's now
    socket.on('error', () => undefined);
    try {
      for (let next = await first; !next.done; next = await chunks.next()) await written(socket, next.value);
      await Promise.race([ended, delay(END_REPORT_MS)]);
      socket.destroy(); // the kernel has every byte
    } catch {
      stdout.destroy?.(); // the client reads no more: the program gets EPIPE
      socket.destroy();
    }
  }
}

function written(socket: Socket, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
