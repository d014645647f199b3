/** Options of the client and of its calls, checked: a signal that is not seen would cancel nothing. */
import { TIMER_MS_MAX } from '@sbx/shared';
import type { ReconnectOptions } from './backoff.js';
import { checkNames, OUTPUT_LENGTH_MAX, refuse } from './request.js';
import { type OpenSocket, openGlobalSocket } from './transport.js';

/** Settings of a client; all but the address have defaults. */
export interface FathomClientOptions {
  /**
   * `ws://host:8765/ws`; `http` and `https` are taken for `ws` and `wss`, and `/ws` is added where there is
   * no path.
   */
  url: string;
  /**
   * Sent as `Authorization: Bearer`, and where headers cannot be sent (browsers) as a subprotocol, which
   * `@sbx/fathom-server` takes.
   */
  token?: string | undefined;
  /** How to connect again when the connection went away; `false`: only when the next call needs it. */
  reconnect?: ReconnectOptions | false | undefined;
  /** Longest wait for a connection to open, in ms. Default 5000. */
  connectTimeoutMs?: number | undefined;
  /**
   * Time between pings while executions are under way, in ms; two without an answer end the connection.
   * Default 30 000; 0: none.
   */
  pingIntervalMs?: number | undefined;
  /**
   * Longest wait for the answer to a ping, in ms; without any sign of life in it the connection is given up.
   * Default 10 000.
   */
  pingTimeoutMs?: number | undefined;
  /**
   * Characters (UTF-16 units) kept of the output of one execution, in its result and in events that nobody
   * reads. Default 67 108 864, the most that the protocol lets a program print.
   */
  outputLengthMax?: number | undefined;
  /** Makes the socket. Default: ws on Node, the global WebSocket elsewhere. */
  openSocket?: OpenSocket | undefined;
}

/** Settings of one call. */
export interface ExecuteOptions {
  /** Abort cancels the execution on the server and rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Rule in words, and whether a value keeps it. */
type Rule = readonly [words: string, isRight: (value: unknown) => boolean];
type Rules<T> = Readonly<Record<keyof T, Rule>>;

function numberFrom(min: number, max: number): Rule {
  const words = `must be a number from ${min}${max === Number.POSITIVE_INFINITY ? ' on' : ` to ${max}`}`;
  return [words, (value) => typeof value === 'number' && value >= min && value <= max];
}

/** By its shape: an `AbortSignal` of another realm is one, too. */
function isSignal(value: unknown): boolean {
  return typeof (value as { aborted?: unknown } | null)?.aborted === 'boolean';
}

const RECONNECT_RULES: Rules<ReconnectOptions> = {
  firstMs: numberFrom(0, TIMER_MS_MAX),
  capMs: numberFrom(0, TIMER_MS_MAX),
  jitter: numberFrom(0, 1),
  triesMax: numberFrom(0, Number.POSITIVE_INFINITY),
};

const CLIENT_RULES: Rules<FathomClientOptions> = {
  url: ['must be a string', (value) => typeof value === 'string'],
  token: [
    'must be a string without line breaks; leave it out for none',
    (value) => typeof value === 'string' && !/[\r\n\0]/.test(value),
  ],
  reconnect: ['must be an object, or false', (value) => value === false || typeof value === 'object'],
  connectTimeoutMs: numberFrom(1, TIMER_MS_MAX),
  pingIntervalMs: numberFrom(0, TIMER_MS_MAX),
  pingTimeoutMs: numberFrom(1, TIMER_MS_MAX),
  outputLengthMax: [
    'must be a whole number from 0 on',
    (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  ],
  openSocket: ['must be a function', (value) => typeof value === 'function'],
};

const EXECUTE_RULES: Rules<ExecuteOptions> = { signal: ['must be an AbortSignal', isSignal] };

/** @internal Every option of a client, with its default. */
export interface ClientSettings extends Required<Omit<FathomClientOptions, 'token'>> {
  token: string | undefined;
}

/** Throws FATHOM_REQUEST. */
export function settingsOf(options: FathomClientOptions): ClientSettings {
  if (typeof options === 'string')
    refuse('options', 'must be an object such as { url: … }, not the address alone');
  checkBy('options', options, CLIENT_RULES);
  const { reconnect = {} } = options;
  if (reconnect !== false) checkBy('options.reconnect', reconnect, RECONNECT_RULES);
  return {
    url: socketUrl(options.url),
    token: options.token,
    reconnect,
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    pingIntervalMs: options.pingIntervalMs ?? 30_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    outputLengthMax: options.outputLengthMax ?? OUTPUT_LENGTH_MAX,
    openSocket: options.openSocket ?? openGlobalSocket,
  };
}

/** Throws FATHOM_REQUEST. */
export function checkExecuteOptions(options: ExecuteOptions): void {
  if (isSignal(options)) refuse('options', 'must be { signal } for an AbortSignal');
  checkBy('options', options, EXECUTE_RULES);
}

function checkBy<T extends object>(field: string, value: T, rules: Rules<T>): void {
  checkNames(field, value, Object.keys(rules));
  for (const [name, [words, isRight]] of Object.entries<Rule>(rules)) {
    const given = value[name as keyof T];
    if (given !== undefined && !isRight(given)) refuse(`${field}.${name}`, words);
  }
}

/** The address of the socket. */
function socketUrl(text: string): string {
  if (!/^(ws|http)s?:\/\//i.test(text) || !URL.canParse(text))
    refuse('options.url', 'must be an address such as ws://127.0.0.1:8765');
  const url = new URL(text);
  url.protocol = url.protocol.replace(/^http/, 'ws');
  if (url.pathname === '/') url.pathname = '/ws';
  return url.href;
}
