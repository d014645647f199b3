/** Calls to a server: token, errors by code, retries. */
import { causeCodes, noAnswerFrom } from '@sbx/shared';
import { type ClientErrorCode, GojudgeError, runError } from './errors.js';
import type { Retrier } from './retry.js';
import type { Transport } from './transport.js';

/** Codes of a connection that never came to be: nothing was sent. Node's, undici's, Bun's. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

const CODE_BY_STATUS: Record<number, ClientErrorCode> = {
  401: 'GOJUDGE_UNAUTHORIZED',
  404: 'GOJUDGE_NOT_FOUND',
};

/** A call. */
export interface CallInit extends RequestInit {
  /** GETs and DELETEs: safe to repeat when the connection broke half-way. */
  isRepeatable?: boolean;
  /** The body can be sent but once. Default `false`. */
  isOnce?: boolean;
}

/** Speaks HTTP with one server. */
export class HttpCaller {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #retrier: Retrier;
  readonly #transport: Transport;

  constructor(url: string, headers: Record<string, string>, transport: Transport, retrier: Retrier) {
    this.#url = url;
    this.#headers = headers;
    this.#retrier = retrier;
    this.#transport = transport;
  }

  /** The body of a successful answer, as JSON that `check` knows. */
  async json<T>(path: string, init: CallInit, check: (value: unknown) => value is T): Promise<T> {
    return this.#call(path, init, async (response) => {
      const value = jsonOf(await response.text());
      if (check(value)) return value;
      const message = `${path} answered with what no go-judge answers.`;
      throw new GojudgeError({ code: 'GOJUDGE_PROTOCOL', message, status: response.status });
    });
  }

  /** All bytes of a successful answer. */
  bytes(path: string, init: CallInit): Promise<Uint8Array> {
    return this.#call(path, init, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /** A successful answer's body as it comes. */
  stream(path: string, init: CallInit): Promise<ReadableStream<Uint8Array>> {
    const none = () => new ReadableStream({ start: (controller) => controller.close() });
    return this.#call(path, init, async (response) => response.body ?? none());
  }

  #call<T>(path: string, init: CallInit, read: (response: Response) => Promise<T>): Promise<T> {
    const { isRepeatable = false, isOnce = false, ...request } = init;
    const mayRepeat = (error: GojudgeError) =>
      !isOnce && (isRepeatable ? error.retryable : error.retryable && wasNeverTaken(error));
    return this.#retrier.run(() => this.#once(path, request, read), mayRepeat, init.signal);
  }

  async #once<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    try {
      const headers = { ...(init.headers as Record<string, string>), ...this.#headers };
      const response = await this.#transport.fetch(this.#url + path, { ...init, headers });
      if (!response.ok) throw failureOf(response, await response.text(), this.#url + path);
      return await read(response);
    } catch (cause) {
      if (cause instanceof GojudgeError) throw cause;
      if (init.signal?.aborted) throw init.signal.reason;
      const message = noAnswerFrom(this.#url + path, cause);
      throw new GojudgeError({ code: 'GOJUDGE_CONNECTION', message, retryable: true, cause });
    }
  }
}

/** The server said that it did not begin, or was never there. */
export function wasNeverTaken(error: GojudgeError): boolean {
  return error.code === 'GOJUDGE_OVERLOADED' || causeCodes(error).some((code) => NEVER_SENT.has(code));
}

function failureOf(response: Response, body: string, url: string): GojudgeError {
  const { status } = response;
  const isMissing = status === 404 && url.includes('/file/') && body === '';
  const message = isMissing ? `${url} is not there.` : textOf(body, status) || `HTTP ${status}`;
  // A file may be missing, but the runs of a go-judge are always there. Of a web page the message says so
  // itself.
  if (status === 404 && url.endsWith('/run') && !message.startsWith('HTTP ')) {
    const text = `${url} is not there (${message}); is it a go-judge server?`;
    return new GojudgeError({ code: 'GOJUDGE_PROTOCOL', message: text, status });
  }
  if (status < 500) {
    return new GojudgeError({ code: CODE_BY_STATUS[status] ?? 'GOJUDGE_REQUEST', message, status });
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return runError(message, status, Number.isNaN(seconds) ? null : seconds * 1000);
}

const TEXT_CHARS_MAX = 500;

/**
 * What a server says: go-judge a JSON string or plain text. A proxy in front of it answers with a page, of
 * which the title says most.
 */
function textOf(body: string, status: number): string {
  const value = jsonOf(body);
  if (typeof value === 'string') return value;
  if (!/^\s*<(?:!doctype|html|head|body|h1|\?xml)\b/i.test(body)) return body.trim().slice(0, TEXT_CHARS_MAX);
  const beginning = body.slice(0, PAGE_CHARS_MAX);
  const title = /<(title|h1)[^>]*>([^<]*)/i.exec(beginning)?.[2]?.trim();
  return `HTTP ${status}: a web page, not go-judge, answered${title ? `: ${title.slice(0, TEXT_CHARS_MAX)}` : ''}`;
}

const PAGE_CHARS_MAX = 10_000;

/** `undefined` for what is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
