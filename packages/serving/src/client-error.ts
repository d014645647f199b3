/** Heads and bodies that are no HTTP, too large or too late, answered as Node does when nobody listens. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const STATUSES = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** A socket with the answer that is being written to it, where Node has that. */
export type AnsweredSocket = Socket & { _httpMessage?: ServerResponse | null };

export function answerClientError(error: NodeJS.ErrnoException, socket: AnsweredSocket): void {
  // Within an answer it would be taken for a part of it.
  if (socket.writable && socket._httpMessage?.headersSent !== true) {
    const status = STATUSES.get(error.code ?? '') ?? 400;
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  }
  socket.destroy(error);
}

/** The head of a request did not come in time. */
export function isLateHead({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT';
}
