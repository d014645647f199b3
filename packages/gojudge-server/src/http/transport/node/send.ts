/** Answers by way of Node's HTTP server. */
import type { ServerResponse } from 'node:http';
import { BRIEF, endLingering, type Linger } from '../../connection/linger.js';
import type { Response } from '../../responses.js';
import { sendChunks } from '../chunks.js';

/** Resolves when it has been written, or the client is gone. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
): Promise<void> {
  response.writeHead(status, headers);
  if (typeof body === 'string') response.end(body);
  else await sendChunks(response, body);
}

/** An answer of text while the request still comes; the connection ends with it. */
export function sendEarly(response: ServerResponse, answer: Response, linger: Linger = BRIEF): void {
  response.writeHead(answer.status, { ...answer.headers, Connection: 'close' });
  endLingering(response, answer.body as string, linger);
}
