// A stored file over a real server on this machine: ranges, conditions and names.
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFile } from './serve-file.js';

const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';
let folder: string;
let fd: number;
let name = 'a.txt';
let server: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-file-'));
  const path = join(folder, 'file');
  writeFileSync(path, '0123456789');
  utimesSync(path, new Date(MODIFIED), new Date(MODIFIED));
  fd = openSync(path, 'r');
  server = createServer((incoming, response) => void serveFile(incoming, response, fd, name));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

async function get(headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', headers, agent: false }).end();
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders, body };
}

test('whole, with its type, length and date', async () => {
  const { status, headers, body } = await get();
  expect([status, body]).toEqual([200, '0123456789']);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'last-modified': MODIFIED,
    'content-disposition': 'attachment; filename="a.txt"',
  });
});

test('one range is a part of it', async () => {
  const { status, headers, body } = await get({ Range: 'bytes=2-4' });
  expect([status, body, headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
});

test('several ranges are parts of one body, whose length is told', async () => {
  const { status, headers, body } = await get({ Range: 'bytes=0-1,8-' });
  expect(status).toBe(206);
  expect(headers['content-type']).toMatch(/^multipart\/byteranges; boundary=/);
  expect(Number(headers['content-length'])).toBe(body.length);
  expect(body).toMatch(
    /bytes 0-1\/10[\s\S]*\r\n\r\n01\r\n--[\s\S]*bytes 8-9\/10[\s\S]*\r\n\r\n89\r\n--\w+--\r\n$/,
  );
});

test.each([
  ['bytes=20-', 'bytes */10', 'invalid range: failed to overlap\n'],
  ['bytes=x', undefined, 'invalid range\n'],
])('range %s is refused', async (range, told, text) => {
  const { status, headers, body } = await get({ Range: range });
  expect([status, headers['content-range'], body]).toEqual([416, told, text]);
});

test('a range of another version of the file is the whole file', async () => {
  const { status } = await get({ Range: 'bytes=0-1', 'If-Range': 'Wed, 31 Dec 2025 00:00:00 GMT' });
  expect(status).toBe(200);
});

test('conditions are looked at before anything is read', async () => {
  expect(await get({ 'If-Modified-Since': MODIFIED })).toMatchObject({ status: 304, body: '' });
  expect(await get({ 'If-Unmodified-Since': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toMatchObject({
    status: 412,
    body: '',
  });
});

test.each<[string, string | undefined]>([
  ['a.json', 'application/json'],
  ['a.unknown', undefined],
])('a refusal tells the type of %s by its name', async (given, type) => {
  name = given;
  const { status, headers } = await get({ 'If-Match': '"x"' });
  expect([status, headers['content-type']]).toEqual([412, type]);
  name = 'a.txt';
});

test.each([
  ['say "hi"\\.txt', 'attachment; filename="say \\"hi\\"\\\\.txt"'],
  ['für alle!.txt', "attachment; filename*=UTF-8''f%C3%BCr+alle%21.txt"],
])('the name %s', async (given, expected) => {
  name = given;
  expect((await get()).headers['content-disposition']).toBe(expected);
  name = 'a.txt';
});
