/** The file store over HTTP. */
import { closeSync, fstatSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerContext } from '../../judge/run-job.js';
import { StoreFullError } from '../../store/store.js';
import { encodeMap, goJson } from '../../wire/results.js';
import { PATIENT } from '../connection/linger.js';
import { HELD_BYTES_MAX } from '../download/send-file.js';
import { serveFile } from '../download/serve-file.js';
import type { RequestContext } from '../request-context.js';
import { emptyResponse, jsonResponse, type Response } from '../responses.js';
import { sendEarly, sendResponse } from '../transport/node/send.js';
import { readUpload } from '../upload/multipart.js';
import { MultipartError } from '../upload/multipart-parts.js';

/** Of a list: an id with its quotes, and a character that has to be written as `\u0001`. */
const LISTED_BYTES = 32;
const JSON_BYTES_PER_UNIT = 6;

type Context = Pick<ServerContext, 'store' | 'unsent'>;

/** Of many that wait no more are made than have room; each counts until it is counted as an answer. */
export async function listFiles(
  { store, unsent }: Context,
  { socket }: Pick<RequestContext, 'socket'>,
): Promise<Response> {
  const { count, nameLength } = store.totals;
  const bytes = count * LISTED_BYTES + nameLength * JSON_BYTES_PER_UNIT;
  await unsent.holdWhenRoom(socket, bytes);
  try {
    return jsonResponse(200, encodeMap(await store.list(), goJson));
  } finally {
    setImmediate(() => unsent.release(socket, bytes));
  }
}

export async function uploadFile(
  { store, unsent }: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let id: string | undefined;
  try {
    id = await readUpload(request, (name, content) => store.add(name, content));
    await sendResponse(response, jsonResponse(200, goJson(id)), unsent);
  } catch (error) {
    if (error instanceof StoreFullError) return sendEarly(response, jsonResponse(500, goJson(error.message)));
    if (request.destroyed && !request.complete) return; // nobody to tell
    const answer = emptyResponse(error instanceof MultipartError ? 400 : 500);
    if (request.complete) return sendResponse(response, answer, unsent);
    sendEarly(response, answer, PATIENT); // nothing else would read what still comes
  }
}

export async function downloadFile(
  { store, unsent }: Context,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const fd = store.openFd(id);
  if (fd === null) return sendResponse(response, emptyResponse(404), unsent);
  const { socket } = request;
  const bytes = Math.min(fstatSync(fd).size, HELD_BYTES_MAX);
  try {
    await unsent.holdWhenRoom(socket, bytes);
    await serveFile(request, response, fd, store.nameOf(id));
  } finally {
    unsent.release(socket, bytes);
    closeSync(fd);
  }
}

export async function deleteFile({ store }: Context, id: string): Promise<Response> {
  return emptyResponse((await store.delete(id)) ? 200 : 404);
}
