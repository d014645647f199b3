/** Calls to a server: token, errors by code, retries. */
import { causeCodes, noAnswerFrom } from '@sbx/shared';
import { type ClientErrorCode, failure, GojudgeError, runError } from './errors.js';
import { jsonOf, readUpTo, SMALL_BYTES_MAX, textFrom } from './read-body.js';
import type { Retrier } from './retry.js';
import { connectionError, type Transport } from './transport.js';

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
  /** The answer is as large as the client takes any. Default `false`: it is small. */
  isLarge?: boolean;
}

/** A server, and how to speak with it. */
export interface CallerParts {
  url: string;
  headers: Record<string, string>;
  transport: Transport;
  retrier: Retrier;
  /** Of a large answer. */
  answerBytesMax: number;
}

/**
 * Speaks HTTP with one server: the body of a successful answer as JSON that `check` knows, as bytes, or as it
 * comes.
 */
export class HttpCaller {
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  async json<T>(path: string, init: CallInit, check: (value: unknown) => value is T): Promise<T> {
    return this.#call(path, init, async (response) => {
      const value = jsonOf(textFrom(await this.#read(path, response, init)));
      if (check(value)) return value;
      throw protocolError(path, response);
    });
  }

  bytes(path: string, init: CallInit): Promise<Uint8Array> {
    return this.#call(path, init, (response) => this.#read(path, response, init));
  }

  stream(path: string, init: CallInit): Promise<ReadableStream<Uint8Array>> {
    return this.#call(path, init, async ({ body }) => body ?? new Blob([]).stream());
  }

  async #read(path: string, response: Response, { isLarge = false }: CallInit): Promise<Uint8Array> {
    const bytesMax = isLarge ? this.#parts.answerBytesMax : SMALL_BYTES_MAX;
    const bytes = await readUpTo(bytesMax, response);
    if (bytes.byteLength <= bytesMax) return bytes;
    if (!isLarge) throw protocolError(path, response);
    const message = `${path} answered with more than ${bytesMax} bytes: raise answerBytesMax of the client.`;
    throw failure('GOJUDGE_OVERFLOW', message, response.status);
  }

  #call<T>(path: string, init: CallInit, read: (response: Response) => Promise<T>): Promise<T> {
    const { isRepeatable = false, isOnce = false, isLarge: _, ...request } = init;
    const mayRepeat = (error: GojudgeError) =>
      !isOnce && (isRepeatable ? error.retryable : error.retryable && wasNeverTaken(error));
    return this.#parts.retrier.run(() => this.#once(path, request, read), mayRepeat, init.signal);
  }

  async #once<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    const { headers: own, transport } = this.#parts;
    const url = this.#parts.url + path;
    try {
      const headers = { ...(init.headers as Record<string, string>), ...own };
      const response = await transport.fetch(url, { ...init, headers, redirect: 'manual' });
      if (!response.ok) throw failureOf(response, textFrom(await readUpTo(SMALL_BYTES_MAX, response)), url);
      return await read(response);
    } catch (cause) {
      if (cause instanceof GojudgeError) throw cause;
      if (init.signal?.aborted) throw init.signal.reason;
      const inner = (cause as Error).cause; // of the caller's own stream, or of a transport that was closed
      if (inner instanceof GojudgeError) throw inner;
      throw connectionError(noAnswerFrom(url, cause), cause);
    }
  }
}

function protocolError(path: string, { status }: Response): GojudgeError {
  const message = `${path} answered with what no go-judge answers.`;
  return failure('GOJUDGE_PROTOCOL', message, status);
}

/** The server said that it did not begin, or was never there. */
export function wasNeverTaken(error: GojudgeError): boolean {
  return error.code === 'GOJUDGE_OVERLOADED' || causeCodes(error).some((code) => NEVER_SENT.has(code));
}

function failureOf(response: Response, body: string, url: string): GojudgeError {
  const { status } = response;
  if (isRedirect(response)) return redirected(response, url);
  const isMissing = status === 404 && url.includes('/file/') && body === '';
  const message = isMissing ? `${url} is not there.` : textOf(body, status) || `HTTP ${status}`;
  // A file may be missing, but the runs of a go-judge are always there. Of a web page the message says so
  // itself.
  if (status === 404 && url.endsWith('/run') && !message.startsWith('HTTP ')) {
    const text = `${url} is not there (${message}); is it a go-judge server?`;
    return failure('GOJUDGE_PROTOCOL', text, status);
  }
  if (status < 500) {
    return failure(CODE_BY_STATUS[status] ?? 'GOJUDGE_REQUEST', message, status);
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return runError(message, status, Number.isNaN(seconds) ? null : seconds * 1000);
}

/** Browsers do not say which. */
function isRedirect({ status, type, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'));
}

/** A go-judge never redirects; whoever does would choose which address of ours is sent the request. */
function redirected({ status, headers }: Response, url: string): GojudgeError {
  const to = headers.get('location')?.slice(0, TEXT_CHARS_MAX) ?? 'another address';
  const message = `${url} redirects to ${to}, which is not followed: give that as url.`;
  return failure('GOJUDGE_PROTOCOL', message, status);
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
