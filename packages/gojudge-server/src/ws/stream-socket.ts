/** `/stream`: one interactive run. The first message is the request; the connection's end is the run's. */
import type { ProgramInput, ProgramOutput, RunnerProcess } from '@sbx/core';
import {
  outputFrame,
  parseClientFrame,
  STREAM_CHUNK_BYTES,
  STREAM_PLACE_MAX,
  STREAM_RESPONSE,
} from '@sbx/gojudge-client/wire';
import type { RequestPlace } from '@sbx/serving';
import type { RawData, WebSocket } from 'ws';
import { CancelledBefore, plainText } from '../errors.js';
import { convertRequest } from '../judge/convert.js';
import type { Job } from '../judge/job.js';
import { killedAtOnce } from '../judge/killed-at-once.js';
import type { ProgramResult } from '../judge/program-result.js';
import { runJob, type ServerContext } from '../judge/run-job.js';
import type { StreamTarget } from '../judge/scope.js';
import { decodeRequest, decodeResize } from '../wire/request.js';
import { encodeResults, goJson, inOne } from '../wire/results.js';
import type { AnswerFlow } from './answer-flow.js';
import type { ReadGate } from './read-gate.js';
import { StreamInput } from './stream-input.js';

/** Output that may wait for a slow client; then the program waits. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
/** For the peer's part of the close. */
const GOODBYE_MS = 10_000;

/** RFC 6455, section 7.4.1: what the run was for is done. */
const NORMAL_CLOSURE = 1000;

const UINT16_MAX = 0xffff;
const RESPONSE = String.fromCharCode(STREAM_RESPONSE);

/** A message that no client may send. */
class BrokenMessage extends Error {}

export class StreamSocket implements StreamTarget {
  readonly #context: ServerContext;
  readonly #socket: WebSocket;
  readonly #out: AnswerFlow;
  readonly #gate: ReadGate;
  readonly #controller = new AbortController();
  readonly #inputs = new Map<string, StreamInput>();
  readonly #terminals = new Map<string, RunnerProcess>();
  readonly #sizes = new Map<string, { cols: number; rows: number }>();
  #job: Job | null = null;
  #end: Promise<void> = Promise.resolve();

  constructor(context: ServerContext, socket: WebSocket, { out, gate }: { out: AnswerFlow; gate: ReadGate }) {
    this.#context = context;
    this.#socket = socket;
    this.#out = out;
    this.#gate = gate;
    socket.on('message', (data: RawData) => this.#onMessage(data as Buffer));
  }

  /** Its first message is one; what follows is input, for which the program may be waiting. */
  get bringsRequests(): boolean {
    return this.#job === null;
  }

  idle(): Promise<unknown> {
    return this.#end;
  }

  lost(): void {
    this.#controller.abort();
  }

  attachInput(index: number, fd: number, stream: ProgramInput): void {
    this.#inputs.get(key(index, fd))!.attach(stream);
  }

  async attachOutput(index: number, fd: number, stream: ProgramOutput): Promise<void> {
    for await (const chunk of stream) {
      for (let at = 0; at < chunk.byteLength; at += STREAM_CHUNK_BYTES) {
        await this.#send(outputFrame(index, fd, chunk.subarray(at, at + STREAM_CHUNK_BYTES)));
      }
    }
  }

  attachTerminal(index: number, fd: number, process: RunnerProcess): void {
    this.#terminals.set(key(index, fd), process);
    const size = this.#sizes.get(key(index, fd));
    if (size !== undefined) process.resize(size.cols, size.rows);
  }

  #onMessage(message: Buffer): void {
    if (this.#controller.signal.aborted) return; // after a cancel nothing is read
    try {
      const frame = parseClientFrame(message);
      if (frame === null || (frame.kind === 'request') !== (this.#job === null)) throw new BrokenMessage();
      if (frame.kind === 'request') this.#begin(message.subarray(1));
      else if (frame.kind === 'cancel') this.#controller.abort();
      else if (frame.kind === 'resize') this.#resize(message.subarray(1));
      else this.#input(frame.index, frame.fd).write(frame.bytes);
    } catch {
      this.#controller.abort();
      this.#socket.terminate();
    }
  }

  #begin(json: Buffer): void {
    const { settings } = this.#context;
    const job = convertRequest(decodeRequest(json), settings, true);
    if (job.programs.length > settings.cmdCountMax) throw new BrokenMessage();
    for (const [index, { files }] of job.programs.entries()) {
      for (const [fd, file] of files.entries()) {
        if (file?.kind !== 'stream-in' && file?.kind !== 'stream-out') continue;
        if (index > STREAM_PLACE_MAX || fd > STREAM_PLACE_MAX) throw new BrokenMessage();
        if (file.kind === 'stream-in') this.#inputs.set(key(index, fd), new StreamInput(this.#gate));
      }
    }
    this.#job = job;
    this.#end = this.#run(job, this.#context.room.hold(json.length));
  }

  async #run(job: Job, place: RequestPlace): Promise<void> {
    const { signal } = this.#controller;
    this.#context.metrics?.countStream(1);
    try {
      this.#answer(await runJob(this.#context, job, { signal, cpuSet: null, streams: this }));
    } catch (error) {
      if (error instanceof CancelledBefore) return this.#answer(job.programs.map(killedAtOnce));
      const text = this.#context.settings.strict ? '' : `,"error":${goJson(plainText(error))}`;
      this.#finish(`${RESPONSE}{"requestId":"","results":[]${text}}\n`);
    } finally {
      this.#context.metrics?.countStream(-1);
      for (const input of this.#inputs.values()) input.close();
      place.free();
    }
  }

  #answer(outcomes: readonly ProgramResult[]): void {
    this.#finish(inOne(encodeResults(outcomes, `${RESPONSE}{"requestId":"","results":`, '}\n')));
  }

  #finish(frame: string | Buffer): void {
    this.#out.send(frame, true, () => {
      if (this.#context.settings.strict) return this.#socket.terminate(); // go-judge says no goodbye
      this.#socket.close(NORMAL_CLOSURE);
      setTimeout(() => this.#socket.terminate(), GOODBYE_MS).unref();
    });
  }

  #resize(json: Buffer): void {
    const { index = 0, fd = 0, rows = 0, cols = 0 } = decodeResize(json);
    this.#input(index, fd);
    if (!this.#job!.programs[index]!.tty) throw new BrokenMessage();
    const size = { cols: cols & UINT16_MAX, rows: rows & UINT16_MAX }; // cut as go-judge cuts
    this.#sizes.set(key(index, fd), size);
    this.#terminals.get(key(index, fd))?.resize(size.cols, size.rows);
  }

  #input(index: number, fd: number): StreamInput {
    const input = this.#inputs.get(key(index, fd));
    if (input === undefined) throw new BrokenMessage();
    return input;
  }

  /** Resolves when the client is not too far behind. */
  #send(frame: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) return resolve();
      this.#out.send(frame, true, resolve);
      if (this.#socket.bufferedAmount < BUFFERED_BYTES_MAX) resolve();
    });
  }
}

function key(index: number, fd: number): string {
  return `${index}/${fd}`;
}
