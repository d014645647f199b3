// The console's files: small, of nobody else, and sent with headers that let nothing else in.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CONSOLE_FOLDER } from '@sbx/console';
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';

const server = useServer();
const files = readdirSync(CONSOLE_FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.\w+$/.test(name),
);
const readFile = (name: string) => readFileSync(join(CONSOLE_FOLDER, name));

describe('files', () => {
  test('at most 300 KB zipped, all of them', () => {
    const sum = files.reduce((bytes, name) => bytes + gzipSync(readFile(name), { level: 9 }).length, 0);
    expect(sum).toBeLessThan(300_000);
  });

  test('nothing is loaded from elsewhere, and no script or style stands in the page', () => {
    const page = readFile('index.html').toString();
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/<style|\son\w+=|style=|<script(?![^>]*src=)/);
    const styles = files.filter((name) => name.endsWith('.css'));
    for (const name of styles) expect(readFile(name).toString()).not.toMatch(/url\(|@import/);
  });

  test('licences of what is bundled travel with it', () => {
    const text = readFile('THIRD-PARTY.txt').toString();
    for (const name of ['preact', 'uplot', '@codemirror/view', 'anser', 'diff', '@xterm/xterm'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

describe('answers', () => {
  /** Read whole: an answer that nobody reads keeps its socket. */
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(server.url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test('the page, with a policy that allows this server alone', async () => {
    const response = await get('/');
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  test('assets for ever, the page while it is the same', async () => {
    const [, asset] = /src="(\/assets\/[^"]+)"/.exec((await get('/')).text)!;
    expect((await get(asset!)).headers.get('cache-control')).toContain('immutable');
    const etag = (await get('/')).headers.get('etag')!;
    expect((await get('/', { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  test('HEAD has no body, other methods are refused', async () => {
    const head = await get('/', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await get('/', { method: 'POST', body: 'x' })).status).toBe(405);
  });

  test.each([
    '/assets/',
    '/index.html',
    '/../package.json',
    '/assets/..%2f..%2findex.js',
    '/THIRD-PARTY.txt/',
  ])('%s is no file', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test('pages of others do not get it, by whatever name they call', async () => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request(server.url, { agent: false, headers: { Host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });
});
