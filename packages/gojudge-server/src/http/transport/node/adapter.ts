/** Requests that come by way of Node's HTTP server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Receiving } from '@sbx/serving';
import type { ServerContext } from '../../../judge/run-job.js';
import { goJson } from '../../../wire/results.js';
import type { EntryCheck, EntryHeaders } from '../../entry.js';
import type { RequestContext } from '../../request-context.js';
import { errorResponse, jsonResponse } from '../../responses.js';
import { findHandler } from '../../routes.js';
import { BodyTooLarge, NoRoom, readBody } from './body.js';
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
    else
      await sendResponse(
        response,
        await found.handle(context, new NodeRequest(request, context.receiving), found.id),
        context.unsent,
      );
  } catch (error) {
    await sendError(context, response, error);
  }
  return pattern;
}

class NodeRequest implements RequestContext {
  readonly #request: IncomingMessage;
  readonly #receiving: Receiving;

  constructor(request: IncomingMessage, receiving: Receiving) {
    this.#request = request;
    this.#receiving = receiving;
  }

  get socket(): Socket {
    return this.#request.socket;
  }

  readBody(maxBytes: number): Promise<Buffer> {
    return readBody(this.#request, maxBytes, this.#receiving);
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
