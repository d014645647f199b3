/** Answers by way of Node's HTTP server. */
import type { ServerResponse } from 'node:http';
import type { Unsent } from '@sbx/serving';
import { BRIEF, endLingering, type Linger } from '../../connection/linger.js';
import type { Response } from '../../responses.js';
import { sendChunks } from '../chunks.js';

/**
 * Resolves when it has been written, or the client is gone; until then what is large counts as unsent.
 */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
  unsent: Unsent,
): Promise<void> {
  const { socket } = response.req;
  response.writeHead(status, headers);
  if (typeof body !== 'string') {
    return unsent.during(socket, body.heldBytes, sendChunks(response, body.chunks));
  }
  response.end(body);
  if (response.writableLength > 0) await unsent.during(socket, body.length, closeOf(response));
}

/** After the last byte, or when the client has gone. */
function closeOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (response.destroyed) resolve();
  });
}

/** An answer of text while the request still comes; the connection ends with it. */
export function sendEarly(response: ServerResponse, answer: Response, linger: Linger = BRIEF): void {
  response.writeHead(answer.status, { ...answer.headers, Connection: 'close' });
  endLingering(response, answer.body as string, linger);
}
