/** `/ws`: many requests at once, answered as they end. */
import type { RequestPlace } from '@sbx/serving';
import type { RawData, WebSocket } from 'ws';
import { plainText, RunFailure } from '../errors.js';
import { convertRequest } from '../judge/convert.js';
import type { Job } from '../judge/job.js';
import { runQueued, type ServerContext } from '../judge/run-job.js';
import { quoteGo } from '../wire/go-text.js';
import { type DecodedSocketRequest, decodeSocketRequest } from '../wire/request.js';
import { encodeResults, goJson, inOne } from '../wire/results.js';
import type { AnswerFlow } from './answer-flow.js';

export class RequestSocket {
  /** Each of its messages may be a large one. */
  readonly bringsRequests = true;
  readonly #context: ServerContext;
  readonly #socket: WebSocket;
  readonly #out: AnswerFlow;
  /** Requests under way, by id. */
  readonly #running = new Map<string, AbortController>();
  readonly #ends = new Set<Promise<void>>();

  constructor(context: ServerContext, socket: WebSocket, out: AnswerFlow) {
    this.#context = context;
    this.#socket = socket;
    this.#out = out;
    socket.on('message', (data: RawData) => this.#onMessage(data as Buffer));
  }

  idle(): Promise<unknown> {
    return Promise.allSettled(this.#ends);
  }

  lost(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** What cannot be read ends the connection: there is no id to answer to. */
  #onMessage(message: Buffer): void {
    try {
      const raw = decodeSocketRequest(message);
      if (raw.cancelRequestId) return this.#running.get(raw.cancelRequestId)?.abort();
      this.#request(raw, message.length);
    } catch {
      this.#socket.terminate();
    }
  }

  #request(raw: DecodedSocketRequest, bytes: number): void {
    const job = convertRequest(raw, this.#context.settings, false);
    const { requestId } = job;
    const { cmdCountMax } = this.#context.settings;
    if (requestId === '') return this.#answer('', 'null', 'empty request id');
    if (this.#running.has(requestId)) {
      return this.#answer(requestId, 'null', `duplicated request id: ${quoteGo(requestId)}`);
    }
    if (job.programs.length > cmdCountMax) {
      return this.#answer(requestId, '[]', `cmd: more than ${cmdCountMax} entries`);
    }
    if (job.programs.length === 0) return this.#answer(requestId, '[]', '');
    const end = this.#run(job, this.#context.room.hold(bytes));
    this.#ends.add(end);
    void end.finally(() => this.#ends.delete(end));
  }

  async #run(job: Job, place: RequestPlace): Promise<void> {
    const { requestId } = job;
    const controller = new AbortController();
    this.#running.set(requestId, controller);
    try {
      const outcomes = await runQueued(this.#context, job, controller.signal);
      this.#running.delete(requestId);
      const message = encodeResults(outcomes, `{"requestId":${goJson(requestId)},"results":`, '}\n');
      this.#out.answer(inOne(message));
    } catch (error) {
      this.#running.delete(requestId);
      this.#answer(requestId, '[]', error instanceof RunFailure ? error.message : plainText(error));
    } finally {
      place.free();
    }
  }

  #answer(requestId: string, results: string, error: string): void {
    const tail = error === '' ? '' : `,"error":${goJson(error)}`;
    this.#out.answer(`{"requestId":${goJson(requestId)},"results":${results}${tail}}\n`);
  }
}
