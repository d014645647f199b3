/** The file store over HTTP. */
import { closeSync, fstatSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerContext } from '../../judge/run-job.js';
import { StoreFullError } from '../../store/store.js';
import { encodeMap, goJson } from '../../wire/results.js';
import { PATIENT } from '../connection/linger.js';
import { HELD_BYTES_MAX } from '../download/send-file.js';
import { serveFile } from '../download/serve-file.js';
import { emptyResponse, jsonResponse, type Response } from '../responses.js';
import { sendEarly, sendResponse } from '../transport/node/send.js';
import { readUpload } from '../upload/multipart.js';
import { MultipartError } from '../upload/multipart-parts.js';

type Context = Pick<ServerContext, 'store' | 'unsent'>;

export async function listFiles({ store, unsent }: Context): Promise<Response> {
  await unsent.whenRoom();
  return jsonResponse(200, encodeMap(await store.list(), goJson));
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
