/**
 * Answers as go-judge shapes them: errors are bare JSON strings, or have no body at all. How they travel is
 * others' matter.
 */

import { BadRequest, RunFailure } from '../errors.js';
import { JsonSyntaxError } from '../wire/json.js';
import { type Encoded, goJson } from '../wire/results.js';
import { JsonTypeError } from '../wire/shapes.js';

export interface Response {
  status: number;
  /** With the length, but for a body in chunks. */
  headers: Readonly<Record<string, string | number>>;
  body: Encoded;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

export function jsonResponse(status: number, json: string): Response {
  const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(json) };
  return { status, headers, body: json };
}

/** Results. */
export function encodedResponse(encoded: Encoded): Response {
  if (typeof encoded === 'string') return jsonResponse(200, encoded);
  return { status: 200, headers: { 'Content-Type': JSON_TYPE }, body: encoded };
}

export function emptyResponse(status: number): Response {
  return { status, headers: { 'Content-Length': 0 }, body: '' };
}

export function notFoundResponse(): Response {
  const body = '404 page not found';
  return { status: 404, headers: { 'Content-Type': 'text/plain', 'Content-Length': body.length }, body };
}

/** A path that cannot be read. */
export function badPathResponse(): Response {
  const body = '400 Bad Request';
  const type = 'text/plain; charset=utf-8';
  const headers = { 'Content-Type': type, 'Content-Length': body.length, Connection: 'close' };
  return { status: 400, headers, body };
}

/** For the same path without its trailing slash. */
export function redirectResponse(method: string, location: string): Response {
  if (method !== 'GET')
    return { status: 307, headers: { Location: location, 'Content-Length': 0 }, body: '' };
  const href = location.replace(/[&<>"']/g, (char) => HTML[char]!);
  const body = `<a href="${href}">Moved Permanently</a>.\n\n`;
  const type = 'text/html; charset=utf-8';
  return {
    status: 301,
    headers: { Location: location, 'Content-Type': type, 'Content-Length': body.length },
    body,
  };
}

/** The one place where errors become status codes. `strict`: without headers that go-judge does not send. */
export function errorResponse(error: unknown, strict: boolean): Response {
  if (isClientsFault(error)) return jsonResponse(400, goJson(error.message));
  if (!(error instanceof RunFailure)) return jsonResponse(500, goJson('internal error'));
  const { status, headers, body } = jsonResponse(500, goJson(error.message));
  const { retryAfterMs } = error;
  if (retryAfterMs === null || strict) return { status, headers, body };
  return {
    status,
    headers: { ...headers, 'Retry-After': Math.max(1, Math.ceil(retryAfterMs / 1000)) },
    body,
  };
}

/** What a socket is closed for, and HTTP answers with 400. */
export function isClientsFault(error: unknown): error is Error {
  return error instanceof BadRequest || error instanceof JsonSyntaxError || error instanceof JsonTypeError;
}
