/** The HTTP endpoint: its checks, then the protocol of either era. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import { type EntryCheck, FOREIGN_PAGE, type Receiving, sendText, type Unsent } from '@sbx/serving';
import type { Logger } from '../options.js';
import { type Body, type BodyCount, type BodyRefusal, readBody, VALUES_MAX } from './body.js';
import type { HttpSessions } from './sessions.js';
import { sendWeb, webRequest } from './web.js';

export interface EndpointParts {
  path: string;
  messageBytesMax: number;
  /** Bodies of all connections that have come in part, or that are being answered. */
  receiving: Receiving;
  /** Of requests, for their calls, which may outlive the connection. */
  bodies: WeakMap<Request, Pick<BodyCount, 'use'>>;
  /** Answers of all connections that their clients have not taken. */
  unsent: Unsent;
  check: EntryCheck;
  /** Of protocols with sessions. */
  sessions: HttpSessions;
  /** Of protocols without. */
  modern: McpHttpHandler;
  /** What counts their answers. */
  modernUnsent: readonly Unsent[];
  logger: Logger;
  /** Why nothing can be served now; `null`: it can. */
  problem(): string | null;
}

/** Of what is answered at once: a hundred messages of one body, lists of tools above all. */
const ANSWER_BYTES = 2 ** 20;
const BUSY = 'too many requests are being received; try again in a second\n';
const METHODS = { Allow: 'GET, POST, DELETE' };
const TOKEN_HEADERS = { 'WWW-Authenticate': 'Bearer' };

export async function answer(
  parts: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(parts, request, response);
  } catch (error) {
    if (response.destroyed) return; // the client has gone
    parts.logger.error({ reason: (error as Error)?.name ?? typeof error }, 'a request failed unexpectedly');
    if (!response.headersSent) sendText(response, 500, 'internal error\n');
    else response.destroy();
  }
}

async function route(
  parts: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '/').split('?', 1);
  if (path === '/healthz') return sendText(response, 200, 'ok\n');
  if (path === '/readyz') {
    const problem = parts.problem();
    return sendText(response, problem === null ? 200 : 503, `${problem ?? 'ok'}\n`);
  }
  if (path !== parts.path) return sendText(response, 404, `not found; the endpoint is ${parts.path}\n`);
  const objection = parts.check(request);
  if (objection === 'no-token') {
    return sendText(response, 401, 'a bearer token is needed, or this is the wrong one\n', TOKEN_HEADERS);
  }
  if (objection === 'foreign-page') return sendText(response, 403, FOREIGN_PAGE);
  // The Web's `Request`, which the protocol's transports take, knows no such method.
  if (request.method === 'TRACE') return sendText(response, 405, 'method not allowed\n', METHODS);
  await serve(parts, request, response);
}

async function serve(
  parts: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { unsent } = parts;
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const body = await bodyOf(parts, request, response);
  if (typeof body === 'string') return refuseBody(parts, body, request, response);
  await unsent.holdWhenRoom(request.socket, ANSWER_BYTES);
  if (response.destroyed) return unsent.release(request.socket, ANSWER_BYTES);
  // By then what is answered at once is counted itself.
  setImmediate(() => unsent.release(request.socket, ANSWER_BYTES));
  const web = webRequest(request, body?.bytes, controller.signal);
  const leaveBody = body?.count.use();
  try {
    if (body !== undefined) parts.bodies.set(web, body.count);
    const { from, counted } = await handle(parts, web);
    await sendWeb(from, response, counted);
  } finally {
    // By then its calls use the body themselves.
    setImmediate(() => leaveBody?.());
  }
}

async function handle(
  { messageBytesMax: maxRequestBodySize, unsent, sessions, modern, modernUnsent }: EndpointParts,
  web: Request,
): Promise<{ from: Response; counted: readonly Unsent[] }> {
  if (!(await isLegacyRequest(web, undefined, { maxRequestBodySize })))
    return { from: await modern.fetch(web), counted: modernUnsent };
  const counted = sessions.unsentOf(web) ?? [unsent];
  return { from: await sessions.handle(web), counted };
}

async function bodyOf(
  { messageBytesMax, receiving }: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Body | BodyRefusal | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  return readBody(request, response, messageBytesMax, receiving);
}

function refuseBody(
  { messageBytesMax }: EndpointParts,
  why: BodyRefusal,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.shouldKeepAlive = false;
  request.resume(); // what else comes is thrown away
  if (why === 'too-large') return sendText(response, 413, `a message may have ${messageBytesMax} bytes\n`);
  if (why === 'too-many-values')
    return sendText(response, 413, `a message may have ${VALUES_MAX} values of JSON\n`);
  sendText(response, 503, BUSY, { 'Retry-After': '1' });
}
