/** The client: REST, and the doors to both kinds of sockets. */
import { headerValue, unlessAborted } from '@sbx/shared';
import { CALL_RULES, type CallOptions, checkCall } from './call-options.js';
import { checkRequest } from './check.js';
import type { RunCommand, RunGroup } from './command.js';
import { checkGroup } from './command-check.js';
import { failure, GojudgeError } from './errors.js';
import { type CallerParts, HttpCaller, wasNeverTaken } from './http.js';
import { type ManyOutcomes, startMany } from './many.js';
import {
  AMOUNT,
  COUNT,
  checkOptions,
  isText,
  type OptionRules,
  RECORD,
  refuse,
  TEXT,
  WHOLE,
} from './option-check.js';
import { outcomesOf, type RunOutcome } from './outcome.js';
import { toWireRequest } from './request.js';
import { Retrier, type RetryOptions } from './retry.js';
import { GojudgeSession, type SessionOptions } from './session.js';
import { StoredFile } from './stored-file.js';
import { InteractiveRun, type InteractOptions } from './stream.js';
import { GLOBAL_TRANSPORT, type SocketLike, type Transport } from './transport.js';
import { GIB } from './units.js';
import { makeUpload, type UploadContent } from './upload.js';
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
export interface GojudgeClientOptions extends RetryOptions {
  /** `http://host:5050`. */
  url: string;
  /** Bearer token. */
  token?: string | undefined;
  /**
   * Bytes of one answer over HTTP: the results of a run with all their outputs, a list of files, a file that
   * `download` brings. More is `GOJUDGE_OVERFLOW`; `downloadStream` has no bound. Default 1 GiB. Of JSON no
   * answer may have more than 1,048,576 values: that is `GOJUDGE_PROTOCOL`.
   */
  answerBytesMax?: number | undefined;
  /** `fetch` and `WebSocket` to use. Default: those of the environment. */
  transport?: Transport | undefined;
}

/** Options of `runMany`. */
export interface RunManyOptions extends CallOptions {
  /** Runs at once. Default 4; what the server has no worker for waits in its queue. */
  concurrency?: number | undefined;
}

const OPTION_RULES: OptionRules<GojudgeClientOptions> = {
  url: TEXT,
  token: ['a string without line breaks', (value) => typeof value === 'string' && !/[\r\n\0]/.test(value)],
  answerBytesMax: AMOUNT,
  transport: RECORD,
  retries: WHOLE,
  backoffMs: AMOUNT,
};
const MANY_RULES: OptionRules<RunManyOptions> = { ...CALL_RULES, concurrency: COUNT };

/** Files for `interact` where the command names none: all three are streams. */
const ALL_STREAMS = [{ streamIn: true }, { streamOut: true }, { streamOut: true }] as const;

/**
 * Talks to a go-judge, ours or the original. Cheap to make, connects when it is used, and has no time-outs of
 * its own: give a signal where you want one.
 *
 * @example
 * ```ts
 * const client = new GojudgeClient({ url: 'http://localhost:5050' });
 * await using outcome = await client.run({ args: ['/bin/echo', 'hello'], limits: { cpuTimeMs: 500 } });
 * outcome.stdout; // 'hello\n'
 * ```
 */
export class GojudgeClient implements AsyncDisposable {
  readonly #parts: CallerParts;
  readonly #http: HttpCaller;

  constructor(options: GojudgeClientOptions) {
    if (typeof options === 'string')
      refuse('options', `an object such as { url: ${JSON.stringify(options)} }`, options);
    checkOptions('options', options, OPTION_RULES);
    const { url, token, transport = GLOBAL_TRANSPORT, answerBytesMax = GIB, ...retry } = options;
    if (typeof url !== 'string' || !/^https?:\/\/[^?#@]+$/i.test(url) || !URL.canParse(url))
      refuse(
        'url',
        'an address such as http://localhost:5050, no user or query',
        typeof url === 'string' ? url.split('@').at(-1) : url,
      );
    this.#parts = {
      url: url.replace(/\/+$/, ''),
      headers: token === undefined ? {} : { authorization: headerValue(`Bearer ${token}`) },
      transport,
      retrier: new Retrier(retry),
      answerBytesMax,
    };
    this.#http = new HttpCaller(this.#parts);
  }

  /** One program. Resolves for whatever it did. */
  async run(command: RunCommand, options: CallOptions = {}): Promise<RunOutcome> {
    const [outcome] = await this.runGroup({ commands: [command] }, options);
    return outcome!;
  }

  /** Programs together, answered in their order. */
  async runGroup(group: RunGroup, options: CallOptions = {}): Promise<RunOutcome[]> {
    const call = callOf(options);
    const request = toWireRequest(group);
    checkRequest(request);
    const init = {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'content-type': 'application/json' },
      isLarge: true,
      ...call,
    };
    const results = await this.#http.json('/run', init, isResults);
    return outcomesOf(this, results, request.cmd.length);
  }

  /**
   * Many independent programs; outcomes in their order, all when it is awaited, or one after another in a
   * loop. When one cannot be carried out the others under way are stopped, what all left on the server is
   * deleted, and its error is thrown.
   *
   * @example
   * ```ts
   * for await (const outcome of client.runMany(tests.map(commandOf), { concurrency: 8 }))
   *   if (!outcome.ok) break; // cancels the runs under way, and begins no more
   * ```
   */
  runMany(commands: readonly RunCommand[], options: RunManyOptions = {}): ManyOutcomes {
    return startMany(() => {
      checkOptions('options', options, MANY_RULES);
      if (!Array.isArray(commands)) refuse('commands', 'a list', commands);
      const { concurrency = 4, signal } = options;
      return { commands, concurrency, signal, run: (command, call) => this.run(command, call) };
    });
  }

  /**
   * Puts a file on the server. `name` is only told back in listings and downloads. A stream is sent once,
   * never again.
   */
  async upload(content: UploadContent, name = 'file', options: CallOptions = {}): Promise<StoredFile> {
    const call = callOf(options);
    const { headers, body, isOnce } = await makeUpload(
      content,
      name,
      this.#parts.transport.canStreamRequests,
    );
    const init = { method: 'POST', headers, body, isOnce, duplex: 'half', ...call };
    return StoredFile.make(this, await this.#http.json('/file', init as RequestInit, isText));
  }

  /** All bytes of a stored file. */
  async download(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#http.bytes(pathOf(id), { isRepeatable: true, isLarge: true, ...callOf(options) });
  }

  /** A stored file as it comes. */
  async downloadStream(id: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream(pathOf(id), { isRepeatable: true, ...callOf(options) });
  }

  /** `false` when there was no such file. */
  async delete(id: string, options: CallOptions = {}): Promise<boolean> {
    const call = callOf(options);
    try {
      await this.#http.bytes(pathOf(id), { method: 'DELETE', isRepeatable: true, ...call });
      return true;
    } catch (error) {
      if (error instanceof GojudgeError && error.code === 'GOJUDGE_NOT_FOUND') return false;
      throw error;
    }
  }

  /** Names by id. go-judge also lists temporary files of runs under way, with empty names. */
  async list(options: CallOptions = {}): Promise<Record<string, string>> {
    return this.#http.json('/file', { isRepeatable: true, isLarge: true, ...callOf(options) }, isTextRecord);
  }

  /** Version and features. */
  async version(options: CallOptions = {}): Promise<WireVersion> {
    return this.#http.json('/version', { isRepeatable: true, ...callOf(options) }, isVersion);
  }

  /** Features, and how the server runs programs. */
  async config(options: CallOptions = {}): Promise<WireConfig> {
    return this.#http.json('/config', { isRepeatable: true, ...callOf(options) }, isConfig);
  }

  /** Whether the server says that it can do this; what it does not mention it cannot. */
  async supports(feature: keyof WireFeatures, options?: CallOptions): Promise<boolean> {
    return (await this.version(options))[feature] === true;
  }

  /** Throws `GOJUDGE_UNSUPPORTED`, with the names, unless the server can do all of it. */
  async require(...features: (keyof WireFeatures)[]): Promise<void> {
    const version = await this.version();
    const missing = features.filter((feature) => version[feature] !== true);
    if (missing.length === 0) return;
    const message = `${this.#parts.url} is version ${version.buildVersion} and lacks: ${missing.join(', ')}.`;
    throw failure('GOJUDGE_UNSUPPORTED', message);
  }

  /** A connection for many requests at once, over `/ws`. */
  connect(options: SessionOptions = {}): Promise<GojudgeSession> {
    const openSocket = (signal: AbortSignal) => this.#openSocket('/ws', signal);
    const parts = { calls: this, retrier: this.#parts.retrier, openSocket };
    return GojudgeSession.open(parts, options);
  }

  /** An interactive run over `/stream`. `files` name the streams; default: all three. */
  async interact(command: RunCommand | RunGroup, options: InteractOptions = {}): Promise<InteractiveRun> {
    if (typeof command !== 'object' || command === null) refuse('command', 'an object with args', command);
    const { commands, ...rest } = 'commands' in command ? command : { commands: [command] };
    checkGroup({ ...rest, commands });
    const group = { ...rest, commands: commands.map((one) => ({ ...one, files: one.files ?? ALL_STREAMS })) };
    const openSocket = (signal: AbortSignal | undefined) =>
      this.#parts.retrier.run(() => this.#openSocket('/stream', signal), wasNeverTaken, signal);
    return InteractiveRun.open(this, openSocket, group, options);
  }

  /** Ends waits for another try, and gives connections back, where the client has any of its own. */
  async close(): Promise<void> {
    this.#parts.retrier.close();
    await this.#parts.transport.close?.();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #openSocket(path: string, signal: AbortSignal | undefined): Promise<SocketLike> {
    const { url, headers, transport } = this.#parts;
    const opening = transport.openSocket(url.replace(/^http/, 'ws') + path, headers, signal);
    return unlessAborted(opening, signal, (late) => late.close());
  }
}

function callOf(options: CallOptions): { signal: AbortSignal | null } {
  checkCall(options);
  return { signal: options.signal ?? null };
}

function pathOf(id: string): string {
  if (typeof id !== 'string' || id === '') refuse('id', 'that of a stored file', id);
  return `/file/${encodeURIComponent(id)}`;
}
