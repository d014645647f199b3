/**
 * A plain client for the checks: it sends what it is told, and keeps all that comes. It must not believe the
 * server anything.
 */
import { headerValue } from '@sbx/shared';
import { type ClientOptions, WebSocket } from 'ws';
import { PROTOCOL_VERSION, STATUSES, WIRE_ERROR_CODES } from '../wire/index.js';

/** A rule of the specification is broken; the message says how. */
export class Broken extends Error {}

/** A message as it came. */
export type Heard = Readonly<Record<string, unknown>> & { type?: unknown; id?: unknown };

export interface PeerOptions {
  url: string;
  token?: string | undefined;
  /** Longest wait for an answer, in ms. */
  timeoutMs: number;
  headers?: Record<string, string>;
}

/** What an execution came to. */
export interface Fate {
  messages: readonly Heard[];
  /** `ack running stdout completed result`; repeated output is one word. */
  sequence: string;
  stdout: string;
  stderr: string;
  result: Heard | undefined;
  error: Heard | undefined;
}

const TS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\d*(Z|[+-]\d\d:?\d\d)$/;
const DEFAULT_LIMITS = { timeout_ms: 20_000, memory_mb: 256 };

let nextId = 0;

export class Peer {
  readonly heard: Heard[] = [];
  /** What is wrong with messages as such, whatever they answer. */
  readonly oddities: string[] = [];
  closed: { code: number; reason: string } | null = null;
  readonly #socket: WebSocket;
  readonly #timeoutMs: number;
  readonly #looks = new Set<() => void>();
  readonly #over = new Set<unknown>();

  private constructor(socket: WebSocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on('message', (data, isBinary) => this.#take(String(data), isBinary));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      for (const look of this.#looks) look();
    });
    socket.on('error', () => undefined);
  }

  /** Rejects when there is no upgrade. Gives the headers of the answer, too. */
  static open({ url, token, timeoutMs, headers = {} }: PeerOptions) {
    const all: Record<string, string> = { 'X-Protocol-Version': String(PROTOCOL_VERSION), ...headers };
    if (token !== undefined) all.Authorization = headerValue(`Bearer ${token}`);
    const options: ClientOptions = { headers: all, handshakeTimeout: timeoutMs, perMessageDeflate: false };
    const socket = new WebSocket(url, options);
    const peer = new Peer(socket, timeoutMs);
    return new Promise<{ peer: Peer; headers: Record<string, unknown> }>((resolve, reject) => {
      let answered: Record<string, unknown> = {};
      socket.once('upgrade', ({ headers: given }) => {
        answered = given;
      });
      socket.once('open', () => resolve({ peer, headers: answered }));
      socket.once('error', reject);
    });
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** With the envelope. */
  say(type: string, fields: object = {}): void {
    this.send({ v: PROTOCOL_VERSION, type, ts: new Date().toISOString(), ...fields });
  }

  /** Starts an execution and gives its id. */
  start(fields: { language: string; code: string; limits?: object; [name: string]: unknown }): string {
    const id = `conform_${nextId++}`;
    this.say('execute', { id, ...fields, limits: { ...DEFAULT_LIMITS, ...fields.limits } });
    return id;
  }

  async run(fields: Parameters<Peer['start']>[0]): Promise<Fate> {
    return this.fate(this.start(fields));
  }

  async fate(id: string): Promise<Fate> {
    const isEnd = ({ type, code }: Heard) =>
      type === 'result' || (type === 'error' && code !== 'OUTPUT_LIMIT');
    await this.until((message) => message.id === id && isEnd(message), 'the end of the execution');
    const messages = this.heard.filter((message) => message.id === id);
    const words = messages.map(({ type, status, code }) =>
      type === 'status' ? String(status) : type === 'error' ? `error:${code}` : String(type),
    );
    const textOf = (wanted: string) =>
      messages.map(({ type, data }) => (type === wanted ? String(data) : '')).join('');
    return {
      messages,
      sequence: words.filter((word, at) => !/^std/.test(word) || word !== words[at - 1]).join(' '),
      stdout: textOf('stdout'),
      stderr: textOf('stderr'),
      result: messages.find(({ type }) => type === 'result'),
      error: messages.find(({ type }) => type === 'error'),
    };
  }

  /** The next message for which it holds, also among those that came. */
  until(holds: (message: Heard) => boolean, what: string): Promise<Heard> {
    return this.#wait(() => this.heard.find(holds), what);
  }

  /** The error that answers what `act` sends. */
  async errorAfter(act: () => void): Promise<Heard> {
    const before = this.heard.length;
    act();
    return this.#wait(
      () => this.heard.slice(before).find(({ type }) => type === 'error'),
      'an error that answers it',
    );
  }

  end(): Promise<{ code: number; reason: string }> {
    return this.#wait(() => this.closed ?? undefined, 'the close');
  }

  close(): void {
    this.#socket.terminate();
  }

  #wait<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#looks.delete(check);
      };
      const timer = setTimeout(() => {
        settle();
        const [oddity] = this.oddities;
        const came = oddity === undefined ? '' : `; what came is odd: ${oddity}`;
        reject(new Broken(`waited ${this.#timeoutMs} ms in vain for ${what}${came}`));
      }, this.#timeoutMs);
      const check = () => {
        const found = look();
        if (found === undefined && this.closed === null) return;
        settle();
        if (found !== undefined) resolve(found);
        else reject(new Broken(`the connection was closed with ${this.closed!.code} before ${what}`));
      };
      this.#looks.add(check);
      check();
    });
  }

  #take(text: string, isBinary: boolean): void {
    if (isBinary) this.oddities.push('a binary frame');
    const parsed = parseObject(text);
    const message: Heard = parsed ?? {};
    const oddity = parsed === null ? NOT_AN_OBJECT : (oddityOf(message) ?? this.#lateness(message));
    if (oddity !== null) this.oddities.push(oddity);
    this.heard.push(message);
    for (const look of this.#looks) look();
  }

  #lateness({ type, id, code }: Heard): string | null {
    if (type === 'ack') this.#over.delete(id);
    const isLate = this.#over.has(id) && type !== 'error' && type !== 'pong';
    if (type === 'result' || code === 'INTERNAL_ERROR') this.#over.add(id);
    return isLate ? `${String(type)} after the end of its execution` : null;
  }
}

const NOT_AN_OBJECT = 'a message that is no JSON object';

function parseObject(text: string): Heard | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Heard | null) : null;
  } catch {
    return null;
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** What is wrong with the envelope, or the fields that each message of its type has. */
function oddityOf(message: Heard): string | null {
  const { v, ts, type, id, status, data, code, retryable } = message;
  const name = type === undefined ? 'a message without a type' : String(type);
  if (v !== PROTOCOL_VERSION) return `${name}: v is not ${PROTOCOL_VERSION}`;
  if (typeof ts !== 'string' || !TS.test(ts)) return `${name}: ts is not ISO 8601 with milliseconds`;
  if (type === 'pong') return null;
  if (type !== 'error' && typeof id !== 'string') return `${name}: no id`;
  if (type === 'stdout' || type === 'stderr') return typeof data === 'string' ? null : `${name}: no data`;
  if (type === 'status') {
    return (STATUSES as readonly unknown[]).includes(status)
      ? null
      : `status: ${String(status)} is none of the six`;
  }
  if (type === 'result') return resultOddity(message);
  if (type === 'ack') return null;
  if (type !== 'error') return `a message of type ${name}, which servers do not send`;
  if (typeof code !== 'string' || !Object.hasOwn(WIRE_ERROR_CODES, code))
    return `error: unknown code ${String(code)}`;
  return typeof retryable === 'boolean' ? null : 'error: no retryable';
}

function resultOddity({
  exit_code: exit,
  duration_ms: duration,
  resource_usage: usage,
}: Heard): string | null {
  if (exit !== null && !Number.isSafeInteger(exit))
    return 'result: exit_code is neither a whole number nor null';
  if (!isCount(duration)) return 'result: duration_ms is no whole number';
  return usage === undefined || typeof usage === 'object' ? null : 'result: resource_usage is no object';
}
