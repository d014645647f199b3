/** The worker's end of a living program: its streams to the submitter, and the submitter's wishes to it. */
import type { ProgramInput, ProgramOutput, RunnerProcess } from '@sbx/core';
import type { Clock } from '../clock.js';
import { Channel } from '../session/channel.js';
import type { SessionMessage } from '../wire/session.js';

const CHUNK_BYTES = 256 * 1024;
const USAGE_MS = 250;

/** Frames of one session. */
export interface SessionWire {
  send(data: Uint8Array): void;
  onFrame(take: (data: Uint8Array) => void): () => void;
}

export class WorkerSession {
  readonly #channel: Channel;
  readonly #process: RunnerProcess;
  readonly #stopFrames: () => void;
  readonly #clock: Clock;
  #stopUsage: () => void = () => undefined;
  /** Of which the submitter has been told that the program reads them no more. */
  readonly #closedInputs = new Set<number>();
  /** Resolves when all output has been taken, or the submitter is gone. */
  readonly done: Promise<void>;
  #setDone!: () => void;

  constructor(process: RunnerProcess, wire: SessionWire, clock: Clock) {
    this.#process = process;
    this.#clock = clock;
    this.done = new Promise((resolve) => {
      this.#setDone = resolve;
    });
    this.#channel = new Channel(clock, {
      send: wire.send,
      take: (message, bytes) => this.#take(message, bytes),
      onLost: () => this.close(),
    });
    this.#stopFrames = wire.onFrame((data) => this.#channel.receive(data));
    void this.#channel.send({ kind: 'started', id: process.id });
    void this.#run();
  }

  /** Outputs of the program, and one for the session itself. */
  get streams(): number {
    return 1 + this.#outputs.length;
  }

  /** Nobody reads any more: the program, should it live, may write to nobody. */
  close(): void {
    this.#stopUsage();
    this.#stopFrames();
    this.#channel.close();
    void this.#process.close();
    this.#setDone();
  }

  async #run(): Promise<void> {
    this.#tellUsage();
    await Promise.all(this.#outputs.map(([fd, stream]) => this.#pump(Number(fd), stream as ProgramOutput)));
    await this.#process.result.catch(() => undefined);
    this.#stopUsage();
    await this.#channel.flushed();
    this.close();
  }

  get #outputs(): [string, ProgramInput | ProgramOutput][] {
    return Object.entries(this.#process.fds).filter(([, stream]) => 'each' in stream);
  }

  async #pump(fd: number, stream: ProgramOutput): Promise<void> {
    await stream.each(async (chunk) => {
      for (let at = 0; at < chunk.byteLength; at += CHUNK_BYTES) {
        await this.#channel.send({ kind: 'output', fd }, chunk.subarray(at, at + CHUNK_BYTES));
      }
    });
    await this.#channel.send({ kind: 'output-end', fd });
  }

  #tellUsage(): void {
    this.#stopUsage = this.#clock.after(USAGE_MS, () => {
      const { cpuTimeMs, wallTimeMs, memoryPeakBytes, fileCacheBytes, processPeakCount, memoryBytes } =
        this.#process.usage();
      const usage = { cpuTimeMs, wallTimeMs, memoryPeakBytes, fileCacheBytes, processPeakCount, memoryBytes };
      void this.#channel.send({ kind: 'usage', usage }).then(() => this.#tellUsage());
    });
  }

  #take(message: SessionMessage, bytes: Uint8Array): Promise<unknown> | undefined {
    switch (message.kind) {
      case 'input':
        return this.#input(message.fd)
          ?.write(Uint8Array.from(bytes))
          .catch(() => this.#tellClosed(message.fd));
      case 'input-end':
        return this.#input(message.fd)
          ?.end()
          .catch(() => undefined); // the program has closed it itself
      case 'output-destroy':
        return void this.#output(message.fd)?.destroy();
      case 'kill':
        return void (message.signal === null ? this.#process.kill() : this.#process.kill(message.signal));
      case 'resize':
        return void this.#resize(message.cols, message.rows);
      default:
        return undefined; // what only workers say
    }
  }

  /**
   * Once for each: what is told waits here until the submitter has taken it, and one that writes on and takes
   * nothing would have any number of them sent again and again.
   */
  #tellClosed(fd: number): void {
    if (this.#closedInputs.has(fd)) return;
    this.#closedInputs.add(fd);
    void this.#channel.send({ kind: 'input-closed', fd });
  }

  #resize(cols: number, rows: number): void {
    try {
      this.#process.resize(cols, rows);
    } catch {
      // it has no terminal
    }
  }

  #input(fd: number): ProgramInput | null {
    const stream = this.#process.fds[fd];
    return stream !== undefined && 'write' in stream ? stream : null;
  }

  #output(fd: number): ProgramOutput | null {
    const stream = this.#process.fds[fd];
    return stream !== undefined && 'each' in stream ? stream : null;
  }
}
