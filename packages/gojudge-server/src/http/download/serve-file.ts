/** A stored file as Go's file server sends it: types, ranges, conditions; streamed. */
import { randomBytes } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rangeHolds, refusedBy } from './conditions.js';
import { typeByName, typeOf } from './mime.js';
import { type ByteRange, contentRange, parseRange } from './ranges.js';
import { type FilePart, sendFile } from './send-file.js';

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
  const refusal = refusedBy(request.headers, modified);
  if (refusal !== null) return sendRefusal(response, refusal, name);
  const beginning = Buffer.alloc(SNIFF_BYTES);
  const type = typeOf(name, beginning.subarray(0, readSync(fd, beginning, 0, SNIFF_BYTES, 0)));
  const ranges = rangeHolds(request.headers, modified) ? parseRange(request.headers.range, size) : null;
  if (ranges === 'malformed' || ranges === 'outside') return sendBadRange(response, ranges, size);
  response.setHeader('Accept-Ranges', 'bytes');
  if (ranges !== null && ranges.length > 1) return sendParts(response, fd, { ranges, size, type });
  const [range] = ranges ?? [{ start: 0, length: size }];
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', range!.length);
  if (ranges !== null) response.setHeader('Content-Range', contentRange(range!, size));
  response.writeHead(ranges === null ? 200 : 206);
  await sendFile(response, fd, [range!]);
}

function sendRefusal(response: ServerResponse, status: 304 | 412, name: string): void {
  const type = typeByName(name);
  if (status === 412) response.setHeader('Content-Length', 0);
  if (status === 412 && type !== null) response.setHeader('Content-Type', type);
  response.writeHead(status).end();
}

function sendBadRange(response: ServerResponse, why: 'malformed' | 'outside', size: number): void {
  if (why === 'outside') response.setHeader('Content-Range', `bytes */${size}`);
  const text = why === 'outside' ? 'invalid range: failed to overlap\n' : 'invalid range\n';
  response.removeHeader('Last-Modified');
  response.writeHead(416, 'Requested Range Not Satisfiable', {
    'Content-Length': text.length,
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

async function sendParts(response: ServerResponse, fd: number, { ranges, size, type }: Parts): Promise<void> {
  const boundary = randomBytes(30).toString('hex');
  const heads = ranges.map(
    (range, index) =>
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: ${contentRange(range, size)}\r\nContent-Type: ${type}\r\n\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const bytes = ranges.reduce((sum, { length }, index) => sum + heads[index]!.length + length, tail.length);
  response.writeHead(206, {
    'Content-Length': bytes,
    'Content-Type': `multipart/byteranges; boundary=${boundary}`,
  });
  const parts = ranges.flatMap((range, index): FilePart[] => [heads[index]!, range]);
  await sendFile(response, fd, [...parts, tail]);
}

/** ASCII names quoted, others escaped as in a query. */
function disposition(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name.replace(/[\\"]/g, '\\$&')}"`;
  const escaped = encodeURIComponent(name)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
  return `attachment; filename*=UTF-8''${escaped}`;
}
