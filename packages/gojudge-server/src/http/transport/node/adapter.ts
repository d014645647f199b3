/** Requests that come by way of Node's HTTP server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestPlace } from '@sbx/serving';
import type { ServerContext } from '../../../judge/run-job.js';
import { goJson } from '../../../wire/results.js';
import type { EntryCheck, EntryHeaders } from '../../entry.js';
import type { RequestContext } from '../../request-context.js';
import { errorResponse, jsonResponse } from '../../responses.js';
import { findHandler } from '../../routes.js';
import { type BodyBounds, BodyTooLarge, NoRoom, readBody } from './body.js';
import { sendEarly, sendResponse } from './send.js';

/** Answers one request. Resolves with its route's pattern; never rejects. */
export async function serveRequest(
  context: ServerContext,
  checkEntry: EntryCheck,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const { method = 'GET', url = '/', headers } = request;
  let pattern = '';
  try {
    const check = (sent: EntryHeaders) => checkEntry(sent, request.socket);
    const found = findHandler(check, method, url, headers);
    pattern = found.pattern;
    if (found.kind === 'stream') await found.handle(context, request, response, found.id);
    else {
      const incoming = new NodeRequest(request, context);
      const answer = await incoming.during(found.handle(context, incoming, found.id));
      await sendResponse(response, answer, context.unsent);
    }
  } catch (error) {
    await sendError(context, response, error);
  }
  return pattern;
}

class NodeRequest implements RequestContext {
  readonly #request: IncomingMessage;
  readonly #bounds: BodyBounds;
  #place: RequestPlace | null = null;

  constructor(request: IncomingMessage, bounds: BodyBounds) {
    this.#request = request;
    this.#bounds = bounds;
  }

  get socket(): Socket {
    return this.#request.socket;
  }

  async readBody(maxBytes: number): Promise<Buffer> {
    const { bytes, place } = await readBody(this.#request, maxBytes, this.#bounds);
    this.#place = place;
    return bytes;
  }

  /** What was read is held until there is an answer. */
  async during<T>(handling: T | Promise<T>): Promise<T> {
    try {
      return await handling;
    } finally {
      this.#place?.free();
    }
  }
}

async function sendError(
  { settings: { strict }, unsent }: ServerContext,
  response: ServerResponse,
  error: unknown,
): Promise<void> {
  if (response.headersSent) return void response.destroy();
  if (error instanceof BodyTooLarge) return sendEarly(response, jsonResponse(400, goJson(error.message)));
  if (error instanceof NoRoom) return sendEarly(response, errorResponse(error, strict));
  await sendResponse(response, errorResponse(error, strict), unsent);
}
