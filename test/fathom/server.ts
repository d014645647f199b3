// A server of ours on a free port, closed and checked for leaks after use; and a client of plain `ws` that
// keeps all it hears.
import type { Runner } from '@sbx/core';
import { createFathomServer, type FathomServer, type FathomServerOptions } from '@sbx/fathom-server';
import { afterAll, beforeAll, expect } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';
import { paced } from '../helpers/pace.js';
import { descendants } from '../helpers/proc.mjs';
import { until } from '../helpers/wait.js';

export interface TestServer {
  readonly url: string;
  readonly server: FathomServer;
  /** Address for plain HTTP. */
  readonly http: string;
}

/** One server for the tests of a file; a second one in the same file uses the engine of the first. */
export function useServer(options: FathomServerOptions = {}, shared?: () => Runner): TestServer {
  let server: FathomServer | undefined;
  let url = '';
  let before: Awaited<ReturnType<typeof settledFootprint>>;
  beforeAll(async () => {
    before = await settledFootprint();
    server = await createFathomServer({ port: 0, standby: {}, engine: shared?.(), ...options });
    [url] = (await server.listen()).urls as [string];
  }, 60_000);
  afterAll(async () => {
    const info = server!.engine.info();
    await server!.close();
    if (shared === undefined) await expectNothingLeft(before, info);
  });
  return {
    get url() {
      return url;
    },
    get http() {
      return url.replace('ws', 'http').replace(/\/ws$/, '');
    },
    get server() {
      return server!;
    },
  };
}

/** A process that was killed may wait for a CPU to die on, longer than its execution is waited for. */
export function noSleepIsLeft(): Promise<void> {
  return until(2000, 'no sleep is left', () => !descendants().some(({ name }) => name === 'sleep'));
}

/** Any message, as it came. */
export interface Heard {
  type: string;
  id?: string;
  ts: string;
  v: number;
  data?: string;
  status?: string;
  code?: string;
  message?: string;
  retryable?: boolean;
  exit_code?: number | null;
  duration_ms?: number;
  resource_usage?: { peak_memory_mb?: number; cpu_time_ms?: number };
  load?: { active_executions: number; queue_depth: number };
}

export const TS = '2025-12-27T11:30:00.000Z';
const LIMITS = { timeout_ms: 20_000, memory_mb: 256 };

let nextId = 0;

/** An `execute`; `limits` are merged. */
export function execute(fields: {
  limits?: object;
  id?: string;
  language?: string;
  code?: string;
  [key: string]: unknown;
}) {
  const limits = { ...LIMITS, ...fields.limits };
  return {
    v: 1,
    type: 'execute',
    id: `exec_${nextId++}`,
    ts: TS,
    language: 'shell',
    code: '',
    ...fields,
    limits,
  };
}

/** What an execution came to. */
export interface Fate {
  /** `ack running stdout completed result` */
  sequence: string;
  stdout: string;
  stderr: string;
  status: string | undefined;
  error: Heard | undefined;
  result: Heard | undefined;
  messages: Heard[];
}

const SEQUENCE =
  /^(error:\w+|ack error:\w+|ack cancelled result|ack running( stdout| stderr)* (error:INTERNAL_ERROR|(error:OUTPUT_LIMIT failed|completed|failed|cancelled|timeout|oom) result))$/;

const wordOf = ({ type, status, code }: Heard) =>
  type === 'status' ? status! : type === 'error' ? `error:${code}` : type;

export class Talk {
  readonly socket: WebSocket;
  readonly heard: Heard[] = [];
  /** Bytes of text that came. */
  bytes = 0;
  closed: { code: number; reason: string } | null = null;
  readonly #waiting = new Set<() => void>();
  readonly #over = new Set<string>();
  readonly #late: Heard[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      expect(isBinary).toBe(false);
      this.bytes += (data as Buffer).length;
      const message = JSON.parse(data.toString()) as Heard;
      if (this.#isLate(message)) this.#late.push(message);
      this.heard.push(message);
      for (const look of this.#waiting) look();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      for (const look of this.#waiting) look();
    });
    socket.on('error', () => undefined);
  }

  static async open(url: string, options: ClientOptions & { protocols?: string[] } = {}): Promise<Talk> {
    const socket = new WebSocket(url, options.protocols ?? [], options);
    const talk = new Talk(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return talk;
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  ping(id?: unknown): void {
    this.send({ v: 1, type: 'ping', ts: TS, ...(id === undefined ? {} : { id }) });
  }

  cancel(id: string): void {
    this.send({ v: 1, type: 'cancel', ts: TS, id });
  }

  /** The first message, also among those that came already, for which it holds. */
  until(holds: (message: Heard) => boolean, what = String(holds)): Promise<Heard> {
    return this.#wait(() => this.heard.find(holds), what);
  }

  /** The next message, whatever it is. */
  next(): Promise<Heard> {
    const count = this.heard.length;
    return this.#wait(() => this.heard[count], 'another message');
  }

  close(): Promise<{ code: number; reason: string }> {
    expect(this.#late).toEqual([]);
    this.socket.close();
    return this.end();
  }

  end(): Promise<{ code: number; reason: string }> {
    return this.#wait(() => this.closed ?? undefined, 'the close');
  }

  of(id: string): Heard[] {
    return this.heard.filter((message) => message.id === id);
  }

  running(id: string): Promise<Heard> {
    return this.until((message) => message.id === id && message.status === 'running', 'running');
  }

  /** Starts it and gives its id. */
  start(fields: Parameters<typeof execute>[0]): string {
    const message = execute(fields);
    this.send(message);
    return message.id;
  }

  /** Starts it, and waits for its end. */
  async run(fields: Parameters<typeof execute>[0]): Promise<Fate> {
    return this.fate(this.start(fields));
  }

  /** Its end; the order of its messages is checked against the pictures of the specification. */
  async fate(id: string): Promise<Fate> {
    const isLast = ({ type, code }: Heard) =>
      type === 'result' || (type === 'error' && code !== 'OUTPUT_LIMIT');
    await this.until((message) => message.id === id && isLast(message), `the end of ${id}`);
    expect(this.#late).toEqual([]);
    const all = this.of(id);
    const messages = all.slice(0, all.findIndex(isLast) + 1);
    const sequence = messages.map(wordOf).join(' ');
    expect(sequence).toMatch(SEQUENCE);
    const textOf = (type: string) =>
      messages
        .filter((message) => message.type === type)
        .map(({ data }) => data)
        .join('');
    return {
      sequence: sequence.replace(/( stdout)+/g, ' stdout').replace(/( stderr)+/g, ' stderr'),
      stdout: textOf('stdout'),
      stderr: textOf('stderr'),
      status: messages.findLast(({ type }) => type === 'status')?.status,
      error: messages.find(({ type }) => type === 'error'),
      result: messages.find(({ type }) => type === 'result'),
      messages,
    };
  }

  /**
   * Whether it comes after the last message of its execution. Errors and pongs may have its id, and an ack
   * begins another one.
   */
  #isLate({ type, code, id = '' }: Heard): boolean {
    if (type === 'ack') this.#over.delete(id);
    const isLate = this.#over.has(id) && type !== 'error' && type !== 'pong';
    if (type === 'result' || code === 'INTERNAL_ERROR') this.#over.add(id);
    return isLate;
  }

  #wait<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(
          new Error(
            `waited in vain for ${what}; closed: ${JSON.stringify(this.closed)}; heard last: ${JSON.stringify(this.heard.slice(-5))}`,
          ),
        );
      }, paced(15_000));
      const check = () => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }
}
