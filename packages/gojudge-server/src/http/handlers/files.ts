/** The file store over HTTP. */
import { closeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeMap, goJson } from '../../wire/results.js';
import { type FileStore, StoreFullError } from '../../store/store.js';
import { type Answer, emptyAnswer, jsonAnswer } from '../responses.js';
import { PATIENT } from '../connection/linger.js';
import { readUpload } from '../upload/multipart.js';
import { MultipartError } from '../upload/multipart-parts.js';
import { sendAnswer, sendEarly } from '../transport/node/send.js';
import { serveFile } from '../download/serve-file.js';

export async function listFiles(store: FileStore): Promise<Answer> {
  return jsonAnswer(200, encodeMap(await store.list(), goJson));
}

export async function uploadFile(
  store: FileStore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let id: string | undefined;
  try {
    id = await readUpload(request, (name, content) => store.add(name, content));
    await sendAnswer(response, jsonAnswer(200, goJson(id)));
  } catch (error) {
    if (error instanceof StoreFullError) return sendEarly(response, jsonAnswer(500, goJson(error.message)));
    if (request.destroyed && !request.complete) return; // nobody to tell
    const answer = emptyAnswer(error instanceof MultipartError ? 400 : 500);
    if (request.complete) return sendAnswer(response, answer);
    sendEarly(response, answer, PATIENT); // nothing else would read what still comes
  }
}

export async function downloadFile(
  store: FileStore,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const fd = store.openFd(id);
  if (fd === null) return sendAnswer(response, emptyAnswer(404));
  try {
    await serveFile(request, response, fd, store.nameOf(id));
  } finally {
    closeSync(fd);
  }
}

export async function deleteFile(store: FileStore, id: string): Promise<Answer> {
  return emptyAnswer((await store.delete(id)) ? 200 : 404);
}
