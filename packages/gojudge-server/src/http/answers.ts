/** Answers as go-judge shapes them: errors are bare JSON strings, or have no body at all. */
import type { ServerResponse } from 'node:http';
import { JsonSyntaxError } from '../decode/json.js';
import { JsonTypeError } from '../decode/shapes.js';
import { goJson } from '../encode/results.js';
import { BadRequest, RunFailure } from '../errors.js';
import { BodyTooLarge } from './body.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export function sendJson(
  response: ServerResponse,
  status: number,
  json: string | Buffer,
  headers = {},
): void {
  const bytes = typeof json === 'string' ? Buffer.byteLength(json) : json.length;
  response.writeHead(status, { 'Content-Type': JSON_TYPE, ...headers, 'Content-Length': bytes });
  response.end(json);
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 });
  response.end();
}

export function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': 18 });
  response.end('404 page not found');
}

/** For the same path without its trailing slash. */
export function sendRedirect(response: ServerResponse, method: string, location: string): void {
  if (method !== 'GET') {
    response.writeHead(307, { Location: location, 'Content-Length': 0 });
    response.end();
    return;
  }
  const body = `<a href="${location.replaceAll('&', '&amp;').replaceAll('"', '&#34;')}">Moved Permanently</a>.\n\n`;
  response.writeHead(301, { Location: location, 'Content-Type': 'text/html; charset=utf-8' });
  response.end(body);
}

/** The one place where errors become status codes. `strict`: without headers that go-judge does not send. */
export function sendError(response: ServerResponse, error: unknown, strict: boolean): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof BodyTooLarge) {
    return sendJson(response, 400, goJson(error.message), { Connection: 'close' });
  }
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
