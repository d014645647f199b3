/** Answers by way of Node's HTTP server. */
import type { ServerResponse } from 'node:http';
import { goJson } from '../encode/results.js';
import { type Answer, jsonAnswer } from './answers.js';
import { endLingering } from './linger.js';
import { sendPieces } from './pieces.js';

/** Resolves when it has been written, or the client is gone. */
export async function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers);
  if (typeof body === 'string') response.end(body);
  else await sendPieces(response, body);
}

/** An error while the request still comes; the connection ends with it. */
export function sendEarly(response: ServerResponse, status: number, message: string): void {
  const json = goJson(message);
  response.writeHead(status, { ...jsonAnswer(status, json).headers, Connection: 'close' });
  endLingering(response, json);
}
