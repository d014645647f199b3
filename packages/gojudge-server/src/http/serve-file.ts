/** A stored file as Go's file server sends it: types, ranges, conditions; streamed. */
import { randomBytes } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readPart } from '../store/read-fd.js';
import { typeOf } from './mime.js';
import { type ByteRange, contentRange, parseRange } from './ranges.js';

const SNIFF_BYTES = 512;

/** The descriptor stays the caller's. */
export async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  fd: number,
  name: string,
): Promise<void> {
  const { size, mtime } = fstatSync(fd);
  const modified = Math.floor(mtime.getTime() / 1000) * 1000;
  response.setHeader('Content-Disposition', disposition(name));
  response.setHeader('Last-Modified', new Date(modified).toUTCString());
  const condition = checkConditions(request, modified);
  if (condition !== null) return void response.writeHead(condition).end();
  const beginning = Buffer.alloc(SNIFF_BYTES);
  const type = typeOf(name, beginning.subarray(0, readSync(fd, beginning, 0, SNIFF_BYTES, 0)));
  const ranges = parseRange(request.headers.range, size);
  if (ranges === 'malformed' || ranges === 'outside') return sendBadRange(response, ranges, size);
  response.setHeader('Accept-Ranges', 'bytes');
  if (ranges !== null && ranges.length > 1) return sendParts(response, fd, { ranges, size, type });
  const [range] = ranges ?? [{ start: 0, length: size }];
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', range!.length);
  if (ranges !== null) response.setHeader('Content-Range', contentRange(range!, size));
  response.writeHead(ranges === null ? 200 : 206);
  await pipeline(chunksOf(fd, range!), response);
}

function checkConditions({ headers }: IncomingMessage, modified: number): number | null {
  const unmodifiedSince = Date.parse(headers['if-unmodified-since'] ?? '');
  if (modified > unmodifiedSince) return 412;
  const modifiedSince = Date.parse(headers['if-modified-since'] ?? '');
  return modified <= modifiedSince ? 304 : null;
}

function sendBadRange(response: ServerResponse, why: 'malformed' | 'outside', size: number): void {
  if (why === 'outside') response.setHeader('Content-Range', `bytes */${size}`);
  const text = why === 'outside' ? 'invalid range: failed to overlap\n' : 'invalid range\n';
  response.removeHeader('Last-Modified');
  response.writeHead(416, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

interface Parts {
  ranges: readonly ByteRange[];
  size: number;
  type: string;
}

async function sendParts(response: ServerResponse, fd: number, parts: Parts): Promise<void> {
  const boundary = randomBytes(30).toString('hex');
  response.writeHead(206, { 'Content-Type': `multipart/byteranges; boundary=${boundary}` });
  await pipeline(partsOf(fd, parts, boundary), response);
}

async function* partsOf(fd: number, { ranges, size, type }: Parts, boundary: string) {
  for (const [index, range] of ranges.entries()) {
    const lead = `${index === 0 ? '' : '\r\n'}--${boundary}\r\n`;
    yield `${lead}Content-Range: ${contentRange(range, size)}\r\nContent-Type: ${type}\r\n\r\n`;
    yield* chunksOf(fd, range);
  }
  yield `\r\n--${boundary}--\r\n`;
}

async function* chunksOf(fd: number, { start, length }: ByteRange): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of readPart(fd, start, length)) {
    sent += chunk.byteLength;
    yield chunk;
  }
  if (sent < length) throw new Error('the stored file became shorter');
}

/** ASCII names quoted, others escaped as in a query. */
function disposition(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name.replace(/[\\"]/g, '\\$&')}"`;
  const escaped = encodeURIComponent(name)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
  return `attachment; filename*=UTF-8''${escaped}`;
}
