/** The console's files, held in memory: they are few, small, and the same for everybody. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/**
 * Nothing but files of this server, no script in a page, no frame around it: output that became markup could
 * do nothing.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
/** Names in `assets/` change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface SiteFile {
  body: Buffer;
  zipped: Buffer;
  headers: Readonly<Record<string, string>>;
}

export class Site {
  readonly #files = new Map<string, SiteFile>();

  constructor(folder: string) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const type = TYPES.get(extname(name));
      if (type === undefined) continue;
      const body = readFileSync(join(folder, name));
      const path = name === 'index.html' ? '/' : `/${name}`;
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const cache = path.startsWith('/assets/') ? FOR_EVER : 'no-cache';
      const headers = {
        ...HEADERS,
        'Content-Type': type,
        'Cache-Control': cache,
        ETag: etag,
        Vary: 'Accept-Encoding',
      };
      this.#files.set(path, { body, zipped: gzipSync(body, { level: 9 }), headers });
    }
  }

  /** Whether a file has this path. */
  owns(path: string): boolean {
    return this.#files.has(path);
  }

  send(path: string, request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const { body, zipped, headers } = this.#files.get(path)!;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0 });
      return void response.end();
    }
    if (request.headers['if-none-match'] === headers.ETag) {
      response.writeHead(304, headers);
      return void response.end();
    }
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const sent = isZipped ? zipped : body;
    response.writeHead(200, {
      ...headers,
      ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
      'Content-Length': sent.length,
    });
    response.end(request.method === 'HEAD' ? undefined : sent);
  }
}
