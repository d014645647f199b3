/** Requests that come by way of Node's HTTP server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { goJson } from '../../../wire/results.js';
import type { Receiving } from '../../connection/receiving.js';
import type { Judge } from '../../../judge/run-job.js';
import { errorAnswer, jsonAnswer } from '../../responses.js';
import type { Asked } from '../../request-context.js';
import { BodyTooLarge, NoRoom, readBody } from './body.js';
import type { EntryCheck, EntryHeaders } from '../../entry.js';
import { findHandler } from '../../routes.js';
import { sendAnswer, sendEarly } from './send.js';

/** Answers one request. Resolves with its route's pattern; never rejects. */
export async function serveRequest(
  judge: Judge,
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
    if (found.kind === 'stream') await found.handle(judge, request, response, found.id);
    else
      await sendAnswer(
        response,
        await found.handle(judge, new NodeRequest(request, judge.receiving), found.id),
      );
  } catch (error) {
    await sendError(response, error, judge.settings.strict);
  }
  return pattern;
}

class NodeRequest implements Asked {
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

async function sendError(response: ServerResponse, error: unknown, strict: boolean): Promise<void> {
  if (response.headersSent) return void response.destroy();
  if (error instanceof BodyTooLarge) return sendEarly(response, jsonAnswer(400, goJson(error.message)));
  if (error instanceof NoRoom) return sendEarly(response, errorAnswer(error, strict));
  await sendAnswer(response, errorAnswer(error, strict));
}
