/**
 * The short way for plain requests: past Node's HTTP server, whose objects and events cost as much per small request as all of our
 * own code (decision 20).
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, errorAnswer } from '../../responses.js';
import type { Asked } from '../../request-context.js';
import type { EntryCheck, EntryHeaders } from '../../entry.js';
import { findPlain, type Matched } from '../../routes.js';
import type { Metrics, Observe } from '../../../metrics/metrics.js';
import type { Judge } from '../../../judge/run-job.js';
import { writeAnswer } from './response.js';
import { type LaneHost, PlainConnection } from './connection.js';
import type { PlainRequest } from './request.js';

type Answering = Extract<Matched, { kind: 'answer' }>;

export class Lane {
  readonly #judge: Judge;
  readonly #checkEntry: EntryCheck;
  readonly #metrics: Metrics;
  readonly #connections = new Set<PlainConnection>();
  #isClosing = false;

  constructor(judge: Judge, checkEntry: EntryCheck, metrics: Metrics) {
    this.#judge = judge;
    this.#checkEntry = checkEntry;
    this.#metrics = metrics;
  }

  /** Connections of this server come here first. To be called before anybody else listens for them. */
  attach(server: Server): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const lane = this;
    const host: LaneHost = {
      serve: (request, asked) => this.#serve(request, asked),
      handOver(connection, socket) {
        lane.#connections.delete(connection);
        for (const listener of listeners) listener.call(server, socket);
      },
      closed: (connection) => void this.#connections.delete(connection),
      get isClosing() {
        return lane.#isClosing;
      },
    };
    server.on('connection', (socket) => this.#connections.add(new PlainConnection(socket, host)));
  }

  /** Nothing new is begun; who waits for an answer gets it. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const connection of this.#connections) if (connection.answering === null) connection.destroy();
  }

  async drained(): Promise<void> {
    await Promise.all([...this.#connections].map(({ answering }) => answering));
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #serve({ method, path, headers, bodyBytes }: PlainRequest, asked: Asked): Promise<void> | null {
    if (bodyBytes > this.#judge.settings.bodyMaxBytes) return null;
    const check = (sent: EntryHeaders) => this.#checkEntry(sent, asked.socket);
    const found = findPlain(check, method, path, headers);
    return found === null || found.kind === 'stream'
      ? null
      : this.#answer(found, asked, this.#metrics.watchPlain(method, bodyBytes));
  }

  async #answer({ handle, id, pattern }: Answering, asked: Asked, observe: Observe): Promise<void> {
    const { socket } = asked;
    let answer: Answer;
    try {
      const made = handle(this.#judge, asked, id);
      answer = made instanceof Promise ? await made : made;
    } catch (error) {
      answer = errorAnswer(error, this.#judge.settings.strict);
    }
    let bytes = 0;
    try {
      if (!socket.destroyed) bytes = await writeAnswer(socket, answer, this.#isClosing);
    } catch {
      socket.destroy(); // no memory for it: the client sees that it is cut off
    }
    observe(pattern, answer.status, bytes);
  }
}
