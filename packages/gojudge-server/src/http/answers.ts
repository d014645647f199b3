/** Answers as go-judge shapes them: errors are bare JSON strings, or have no body at all. */
import type { ServerResponse } from 'node:http';
import { JsonSyntaxError } from '../decode/json.js';
import { JsonTypeError } from '../decode/shapes.js';
import { type Encoded, goJson } from '../encode/results.js';
import { BadRequest, RunFailure } from '../errors.js';
import { BodyTooLarge } from './body.js';
import { endLingering } from './linger.js';
import { sendPieces } from './pieces.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

export function sendJson(response: ServerResponse, status: number, json: string, headers = {}): void {
  const bytes = Buffer.byteLength(json);
  response.writeHead(status, { 'Content-Type': JSON_TYPE, ...headers, 'Content-Length': bytes });
  response.end(json);
}

/** An error while the request still comes; the connection ends with it. */
export function sendEarly(response: ServerResponse, status: number, message: string): void {
  const json = goJson(message);
  const bytes = Buffer.byteLength(json);
  response.writeHead(status, { 'Content-Type': JSON_TYPE, Connection: 'close', 'Content-Length': bytes });
  endLingering(response, json);
}

/** Results. */
export async function sendEncoded(response: ServerResponse, encoded: Encoded): Promise<void> {
  if (typeof encoded === 'string') return sendJson(response, 200, encoded);
  response.writeHead(200, { 'Content-Type': JSON_TYPE });
  await sendPieces(response, encoded);
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 });
  response.end();
}

export function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': 18 });
  response.end('404 page not found');
}

/** A path that cannot be read. */
export function sendBadRequest(response: ServerResponse): void {
  const body = '400 Bad Request';
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length };
  response.writeHead(400, { ...headers, Connection: 'close' });
  response.end(body);
}

/** For the same path without its trailing slash. */
export function sendRedirect(response: ServerResponse, method: string, location: string): void {
  if (method !== 'GET') {
    response.writeHead(307, { Location: location, 'Content-Length': 0 });
    response.end();
    return;
  }
  const href = location.replace(/[&<>"']/g, (char) => HTML[char]!);
  const body = `<a href="${href}">Moved Permanently</a>.\n\n`;
  const type = 'text/html; charset=utf-8';
  response.writeHead(301, { Location: location, 'Content-Type': type, 'Content-Length': body.length });
  response.end(body);
}

/** The one place where errors become status codes. `strict`: without headers that go-judge does not send. */
export function sendError(response: ServerResponse, error: unknown, strict: boolean): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof BodyTooLarge) return sendEarly(response, 400, error.message);
  if (isClientsFault(error)) return sendJson(response, 400, goJson(error.message));
  if (error instanceof RunFailure) {
    const { message, retryAfterMs } = error;
    const headers =
      retryAfterMs === null || strict ? {} : { 'Retry-After': Math.max(1, Math.ceil(retryAfterMs / 1000)) };
    return sendJson(response, 500, goJson(message), headers);
  }
  sendJson(response, 500, goJson('internal error'));
}

/** What a socket is closed for, and HTTP answers with 400. */
export function isClientsFault(error: unknown): error is Error {
  return error instanceof BadRequest || error instanceof JsonSyntaxError || error instanceof JsonTypeError;
}
