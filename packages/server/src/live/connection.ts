/** One client of `/console/ws`: its watches, and the figures of each second. */
import {
  type ClientMessage,
  RUN_ID_LENGTH_MAX,
  SAMPLE_INTERVAL_MS_MAX,
  SAMPLE_INTERVAL_MS_MIN,
  type ServerMessage,
  type WatchMessage,
} from '@sbx/console/wire';
import type { LiveUsage } from '@sbx/core';
import { keepAlive } from '@sbx/serving';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { RunningRuns } from './running.js';

const ALIVE = { pingMs: 30_000, silenceMs: 90_000 };
/** A client that is so far behind misses samples: the next ones say all that matters. */
const BUFFERED_BYTES_MAX = 256 * 1024;

const id = z.string().min(1).max(RUN_ID_LENGTH_MAX);
const MESSAGE = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    id,
    intervalMs: z.int().min(SAMPLE_INTERVAL_MS_MIN).max(SAMPLE_INTERVAL_MS_MAX).optional(),
  }),
  z.strictObject({ type: z.literal('unwatch'), id }),
]);

export interface ConnectionParts {
  socket: WebSocket;
  running: RunningRuns;
  watchCountMax: number;
}

export class LiveConnection {
  readonly #socket: WebSocket;
  readonly #running: RunningRuns;
  readonly #watchCountMax: number;
  /** What ends each watch, by the id of its run. */
  readonly #watches = new Map<string, () => void>();

  /** The last text of `sendChanged`. */
  #changing = '';

  constructor({ socket, running, watchCountMax }: ConnectionParts) {
    this.#socket = socket;
    this.#running = running;
    this.#watchCountMax = watchCountMax;
    const { alive, stop } = keepAlive(socket, ALIVE);
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, isBinary) => {
      alive();
      this.#onMessage(isBinary ? '' : data.toString());
    });
    socket.once('close', () => {
      stop();
      for (const end of this.#watches.values()) end();
      this.#watches.clear();
    });
  }

  /** `false`: the client is behind, and gets nothing. */
  send(message: ServerMessage): boolean {
    return this.sendText(JSON.stringify(message));
  }

  /** As `send`, for what all connections get. */
  sendText(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    if (this.#socket.bufferedAmount > BUFFERED_BYTES_MAX) return false;
    this.#socket.send(text);
    return true;
  }

  /** As `sendText`, unless it was sent before and nothing else since. */
  sendChanged(text: string): void {
    if (text !== this.#changing && this.sendText(text)) this.#changing = text;
  }

  #onMessage(text: string): void {
    const parsed = MESSAGE.safeParse(parseJson(text));
    if (!parsed.success) return this.#refuse(problemOf(parsed.error));
    const message: ClientMessage = parsed.data;
    if (message.type === 'watch') return this.#watch(message);
    this.#watches.get(message.id)?.();
  }

  #refuse(message: string): void {
    this.send({ type: 'refused', message });
  }

  #watch({ id, intervalMs = SAMPLE_INTERVAL_MS_MIN }: WatchMessage): void {
    if (this.#watches.has(id)) return this.#refuse('id: this run is watched already; unwatch it first');
    if (this.#watches.size >= this.#watchCountMax) {
      return this.#refuse(`id: ${this.#watchCountMax} runs are watched already; unwatch one first`);
    }
    let timer: NodeJS.Timeout | undefined;
    let unsubscribe: () => void = () => undefined;
    const end = () => {
      clearInterval(timer);
      unsubscribe();
      this.#watches.delete(id);
    };
    this.#watches.set(id, end);
    let sample: () => void = () => undefined;
    unsubscribe = this.#running.watch(id, {
      started: (usage) => {
        const startedAt = performance.now();
        sample = () => this.#sample(id, performance.now() - startedAt, usage);
        clearInterval(timer);
        timer = setInterval(sample, intervalMs).unref();
        sample();
      },
      ended: (status) => {
        sample();
        this.send({ type: 'run-end', id, status });
        end();
      },
    });
  }

  #sample(id: string, wallTimeMs: number, usage: () => LiveUsage): void {
    const { cpuTimeMs, memoryBytes } = usage();
    this.send({ type: 'run', id, wallTimeMs, cpuTimeMs, memoryBytes });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const where = issue!.path.join('.') || 'message';
  return `${where}: ${issue!.message}; see docs/protocols/console.md`;
}
