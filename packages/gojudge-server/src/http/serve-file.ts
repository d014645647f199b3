/** A stored file as Go's file server sends it: types, ranges, conditions; streamed. */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { typeOf } from './mime.js';
import { type ByteRange, contentRange, parseRange } from './ranges.js';

const SNIFF_BYTES = 512;
const CHUNK_BYTES = 256 * 1024;

/** The handle stays the caller's. */
export async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  handle: FileHandle,
  name: string,
): Promise<void> {
  const { size, mtime } = await handle.stat();
  const modified = Math.floor(mtime.getTime() / 1000) * 1000;
  response.setHeader('Content-Disposition', disposition(name));
  response.setHeader('Last-Modified', new Date(modified).toUTCString());
  const condition = checkConditions(request, modified);
  if (condition !== null) return void response.writeHead(condition).end();
  const beginning = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  const type = typeOf(name, beginning.buffer.subarray(0, beginning.bytesRead));
  const ranges = parseRange(request.headers.range, size);
  if (ranges === 'malformed' || ranges === 'outside') return sendBadRange(response, ranges, size);
  response.setHeader('Accept-Ranges', 'bytes');
  if (ranges !== null && ranges.length > 1) return sendParts(response, handle, { ranges, size, type });
  const [range] = ranges ?? [{ start: 0, length: size }];
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', range!.length);
  if (ranges !== null) response.setHeader('Content-Range', contentRange(range!, size));
  response.writeHead(ranges === null ? 200 : 206);
  await pipeline(chunksOf(handle, range!), response);
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

async function sendParts(response: ServerResponse, handle: FileHandle, parts: Parts): Promise<void> {
  const boundary = randomBytes(30).toString('hex');
  response.writeHead(206, { 'Content-Type': `multipart/byteranges; boundary=${boundary}` });
  await pipeline(partsOf(handle, parts, boundary), response);
}

async function* partsOf(handle: FileHandle, { ranges, size, type }: Parts, boundary: string) {
  for (const [index, range] of ranges.entries()) {
    const lead = `${index === 0 ? '' : '\r\n'}--${boundary}\r\n`;
    yield `${lead}Content-Range: ${contentRange(range, size)}\r\nContent-Type: ${type}\r\n\r\n`;
    yield* chunksOf(handle, range);
  }
  yield `\r\n--${boundary}--\r\n`;
}

async function* chunksOf(handle: FileHandle, { start, length }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = start; at < start + length; ) {
    const wanted = Math.min(CHUNK_BYTES, start + length - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('the stored file became shorter');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** ASCII names quoted, others escaped as in a query. */
function disposition(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name.replace(/[\\"]/g, '\\$&')}"`;
  const escaped = encodeURIComponent(name)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
  return `attachment; filename*=UTF-8''${escaped}`;
}
