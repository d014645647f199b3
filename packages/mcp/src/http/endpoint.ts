/** The HTTP endpoint: its checks, then the protocol of either era. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import { type EntryCheck, FOREIGN_PAGE, sendText } from '@sbx/serving';
import type { Logger } from '../options.js';
import type { HttpSessions } from './sessions.js';
import { sendWeb, webRequest } from './web.js';

export interface EndpointParts {
  path: string;
  messageBytesMax: number;
  check: EntryCheck;
  /** Of protocols with sessions. */
  sessions: HttpSessions;
  /** Of protocols without. */
  modern: McpHttpHandler;
  logger: Logger;
  /** Why nothing can be served now; `null`: it can. */
  problem(): string | null;
}

const TOKEN_HEADERS = { 'WWW-Authenticate': 'Bearer' };

export async function answer(
  parts: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(parts, request, response);
  } catch (error) {
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
  await serve(parts, request, response);
}

async function serve(
  parts: EndpointParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { messageBytesMax: maxRequestBodySize, sessions, modern } = parts;
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const web = await webRequest(request, maxRequestBodySize, controller.signal);
  if (web === null) {
    response.shouldKeepAlive = false;
    return sendText(response, 413, `a message may have ${maxRequestBodySize} bytes\n`);
  }
  const isLegacy = await isLegacyRequest(web, undefined, { maxRequestBodySize });
  await sendWeb(await (isLegacy ? sessions.handle(web) : modern.fetch(web)), response);
}
