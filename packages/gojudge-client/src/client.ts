/** The client: REST, and the doors to both kinds of sockets. */
import { GojudgeError, runError } from './errors.js';
import { RunOutcome } from './outcome.js';
import { type RunCommand, type RunGroup, toWireRequest } from './request.js';
import { GojudgeSession } from './session.js';
import { StoredFile } from './stored-file.js';
import { InteractiveRun } from './stream.js';
import { GLOBAL_TRANSPORT, type Transport } from './transport.js';
import {
  isConfig,
  isResults,
  isTextRecord,
  isVersion,
  type WireConfig,
  type WireFeatures,
  type WireVersion,
} from './wire/index.js';

/** Options of `GojudgeClient`. */
export interface GojudgeClientOptions {
  /** `http://host:5050`. */
  url: string;
  /** Bearer token. */
  token?: string;
  /** Times that a request is tried again when the connection is refused or the server is overloaded. Default 2. */
  retries?: number;
  /** First wait before that, in ms; doubles, with jitter. Default 100. */
  backoffMs?: number;
  /** `fetch` and `WebSocket` to use. */
  transport?: Transport;
}

/** Options of a single call. */
export interface CallOptions {
  /** Abort drops the connection, which kills the run. */
  signal?: AbortSignal;
}

/**
 * Talks to a go-judge, ours or the original. Cheap to make, connects when it is used.
 *
 * @example
 * ```ts
 * const client = new GojudgeClient({ url: 'http://localhost:5050' });
 * await using outcome = await client.run({ args: ['/bin/echo', 'hello'], limits: { cpuTimeMs: 500 } });
 * outcome.stdout; // 'hello\n'
 * ```
 */
export class GojudgeClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #retries: number;
  readonly #backoffMs: number;
  readonly #transport: Transport;

  constructor({
    url,
    token,
    retries = 2,
    backoffMs = 100,
    transport = GLOBAL_TRANSPORT,
  }: GojudgeClientOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#retries = retries;
    this.#backoffMs = backoffMs;
    this.#transport = transport;
  }

  /** One program. Resolves for whatever it did. */
  async run(command: RunCommand, options: CallOptions = {}): Promise<RunOutcome> {
    const [outcome] = await this.runGroup({ commands: [command] }, options);
    return outcome!;
  }

  /** Programs together, answered in their order. */
  async runGroup(group: RunGroup, options: CallOptions = {}): Promise<RunOutcome[]> {
    const body = JSON.stringify(toWireRequest(group));
    const headers = { 'content-type': 'application/json' };
    const response = await this.#call('/run', {
      method: 'POST',
      body,
      headers,
      signal: options.signal ?? null,
    });
    const results: unknown = await response.json();
    if (!isResults(results)) throw unexpected('/run');
    return results.map((result) => new RunOutcome(this, result));
  }

  /** Many independent programs, so many at once as the server works on; outcomes in their order. */
  async runMany(
    commands: readonly RunCommand[],
    options: CallOptions & { concurrency?: number } = {},
  ): Promise<RunOutcome[]> {
    const outcomes: RunOutcome[] = new Array(commands.length);
    let next = 0;
    const work = async () => {
      for (let index = next++; index < commands.length; index = next++) {
        outcomes[index] = await this.run(commands[index]!, options);
      }
    };
    await Promise.all(Array.from({ length: Math.min(options.concurrency ?? 4, commands.length) }, work));
    return outcomes;
  }

  /** Puts a file on the server. `name` is only told back in listings and downloads. */
  async upload(content: string | Uint8Array | Blob, name = 'file'): Promise<StoredFile> {
    const form = new FormData();
    form.append(
      'file',
      content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer> | string]),
      name,
    );
    const response = await this.#call('/file', { method: 'POST', body: form });
    return this.#stored(await response.json());
  }

  /** As `upload`, without holding all of it; Node, Bun and Deno only. */
  async uploadStream(content: AsyncIterable<Uint8Array>, name = 'file'): Promise<StoredFile> {
    const boundary = `sbx${crypto.randomUUID()}`;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const body = ReadableStream.from(multipart(content, name, boundary));
    const response = await this.#once('/file', {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    return this.#stored(await response.json());
  }

  /** All bytes of a stored file. */
  async download(id: string): Promise<Uint8Array> {
    const response = await this.#call(`/file/${encodeURIComponent(id)}`, {});
    return new Uint8Array(await response.arrayBuffer());
  }

  /** A stored file as it comes. */
  async downloadStream(id: string): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#call(`/file/${encodeURIComponent(id)}`, {});
    if (response.body === null) throw unexpected('/file');
    return response.body;
  }

  /** `false` when there was no such file. */
  async delete(id: string): Promise<boolean> {
    try {
      await (await this.#call(`/file/${encodeURIComponent(id)}`, { method: 'DELETE' })).arrayBuffer();
      return true;
    } catch (error) {
      if (error instanceof GojudgeError && error.code === 'GOJUDGE_NOT_FOUND') return false;
      throw error;
    }
  }

  /** Names by id. */
  async list(): Promise<Record<string, string>> {
    const names: unknown = await (await this.#call('/file', {})).json();
    if (!isTextRecord(names)) throw unexpected('/file');
    return names;
  }

  /** Version and features. */
  async version(): Promise<WireVersion> {
    const version: unknown = await (await this.#call('/version', {})).json();
    if (!isVersion(version)) throw unexpected('/version');
    return version;
  }

  /** Features, and how the server runs programs. */
  async config(): Promise<WireConfig> {
    const config: unknown = await (await this.#call('/config', {})).json();
    if (!isConfig(config)) throw unexpected('/config');
    return config;
  }

  /** Whether the server says that it can do this; what it does not mention it cannot. */
  async supports(feature: keyof WireFeatures): Promise<boolean> {
    return (await this.version())[feature] === true;
  }

  /** A connection for many requests at once, over `/ws`. */
  async connect(): Promise<GojudgeSession> {
    return GojudgeSession.open(this, await this.#openSocket('/ws'));
  }

  /** An interactive run over `/stream`. Its `files` must name the streams; default: all three. */
  async interact(command: RunCommand): Promise<InteractiveRun> {
    const files = command.files ?? [{ streamIn: true }, { streamOut: true }, { streamOut: true }];
    return InteractiveRun.open(this, await this.#openSocket('/stream'), { ...command, files });
  }

  #stored(id: unknown): StoredFile {
    if (typeof id !== 'string') throw unexpected('/file');
    return new StoredFile(this, id);
  }

  async #openSocket(path: string) {
    return this.#transport.openSocket(this.#url.replace(/^http/, 'ws') + path, this.#headers);
  }

  /** Answers with success alone. Tries again only what cannot have run. */
  async #call(path: string, init: RequestInit): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once(path, init);
      } catch (error) {
        const isLast = attempt >= this.#retries || !(error instanceof GojudgeError) || !error.retryable;
        if (isLast) throw error;
        const waitMs = error.retryAfterMs ?? this.#backoffMs * 2 ** attempt * (0.5 + Math.random() / 2);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        init.signal?.throwIfAborted();
      }
    }
  }

  async #once(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      const headers = { ...(init.headers as Record<string, string>), ...this.#headers };
      response = await this.#transport.fetch(this.#url + path, { ...init, headers });
    } catch (cause) {
      if (init.signal?.aborted) throw init.signal.reason;
      const message = `No answer from ${this.#url}${path}.`;
      throw new GojudgeError({ code: 'GOJUDGE_CONNECTION', message, retryable: wasRefused(cause), cause });
    }
    if (response.ok) return response;
    throw failureOf(response, await response.text());
  }
}

async function* multipart(content: AsyncIterable<Uint8Array>, name: string, boundary: string) {
  const text = (lines: string) => new TextEncoder().encode(lines);
  const quoted = name.replace(/["\\\r\n]/g, '_');
  const disposition = `Content-Disposition: form-data; name="file"; filename="${quoted}"`;
  yield text(`--${boundary}\r\n${disposition}\r\n\r\n`);
  yield* content;
  yield text(`\r\n--${boundary}--\r\n`);
}

/** Refused before anything was sent. */
function wasRefused(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === 'ECONNREFUSED';
}

function failureOf(response: Response, body: string): GojudgeError {
  const { status } = response;
  const message = textOf(body) || `HTTP ${status}`;
  if (status === 401) return new GojudgeError({ code: 'GOJUDGE_UNAUTHORIZED', message, status });
  if (status === 404) return new GojudgeError({ code: 'GOJUDGE_NOT_FOUND', message, status });
  if (status < 500) return new GojudgeError({ code: 'GOJUDGE_REQUEST', message, status });
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return runError(message, status, Number.isNaN(seconds) ? null : seconds * 1000);
}

/** A JSON string, or text as it is. */
function textOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? value : body;
  } catch {
    return body;
  }
}

function unexpected(path: string): GojudgeError {
  return new GojudgeError({
    code: 'GOJUDGE_PROTOCOL',
    message: `${path} answered with what no go-judge answers.`,
  });
}
