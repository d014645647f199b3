// What clients meet on the connections of a server, over real ones.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpServer } from './http-server.js';

let server: Server;

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/refused') return void response.writeHead(403).end('refused');
  const end = () => response.end(`${request.method} ${request.url}`);
  request
    .on('data', () => undefined)
    .once('end', () => (request.url === '/later' ? setTimeout(end, 50) : end()));
}

beforeAll(async () => {
  server = createHttpServer({
    handler: answer,
    ownsUpgrade: ({ url }) => url === '/socket',
    upgrade: (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** All that comes until the server ends the connection, or `until` has come. */
async function exchange(text: string, until?: string, isHalfClosed = false): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  if (isHalfClosed) socket.end();
  let got = '';
  for await (const chunk of socket) {
    got += chunk;
    if (until !== undefined && got.includes(until)) break;
  }
  return got;
}

test('a connection waits for the next request without a bound', async () => {
  expect(server).toMatchObject({ keepAliveTimeout: 0, requestTimeout: 0 });
  const got = await exchange('GET /one HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /one');
  expect(got).toContain('Connection: keep-alive');
  expect(got).not.toContain('Keep-Alive:'); // which would tell a time-out
});

test('but not for a head that does not come whole', () => expect(server.headersTimeout).toBe(60_000));

test('nor for one that is larger than any client sends, whole or not', async () => {
  const long = (length: number) => `GET /one HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(length)}`;
  expect(await exchange(`${long(250_000)}\r\n\r\n`, 'GET /one')).toContain('200 OK');
  expect(await exchange(long(270_000))).toMatch(/^HTTP\/1\.1 431 /);
});

test('who closes the sending side gets the answer', async () => {
  expect(await exchange('GET /later HTTP/1.1\r\nHost: x\r\n\r\n', undefined, true)).toContain('GET /later');
});

const EXPECTING = 'Content-Length: 5\r\nExpect: 100-continue\r\n\r\n';

test('who expects to be asked for the body is asked when it is read', async () => {
  const got = await exchange(`POST /body HTTP/1.1\r\nHost: x\r\n${EXPECTING}hello`, 'POST /body');
  expect(got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
});

test('and never when the request is refused, which ends the connection', async () => {
  const got = await exchange(`POST /refused HTTP/1.1\r\nHost: x\r\n${EXPECTING}`);
  expect(got).toMatch(/^HTTP\/1\.1 403 Forbidden/);
  expect(got).toContain('Connection: close');
});

const OFFER = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

test('an offer of an upgrade is taken where the path is for one', async () => {
  expect(await exchange(`GET /socket HTTP/1.1\r\n${OFFER}`)).toMatch(/^HTTP\/1\.1 101/);
});

test('and answered as any request elsewhere', async () => {
  expect(await exchange(`GET /page HTTP/1.1\r\n${OFFER}`, 'GET /page')).toMatch(/^HTTP\/1\.1 200/);
});

test('an upgrade that was not waited for comes behind the answers before it', async () => {
  const got = await exchange(`GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /socket HTTP/1.1\r\n${OFFER}`);
  expect(got).toMatch(/^HTTP\/1\.1 200 [\s\S]*GET \/laterHTTP\/1\.1 101/);
});

test('so does one that is answered as any request', async () => {
  const text = `GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /page HTTP/1.1\r\n${OFFER}`;
  expect(await exchange(text, 'GET /page')).toMatch(/GET \/laterHTTP\/1\.1 200 [\s\S]*GET \/page$/);
});

test('and none comes behind an answer that was the last', async () => {
  const first = `POST /refused HTTP/1.1\r\nHost: x\r\n${EXPECTING}hello`;
  expect(await exchange(`${first}GET /socket HTTP/1.1\r\n${OFFER}`)).toMatch(
    /^HTTP\/1\.1 403 [\s\S]*refused\r\n0\r\n\r\n$/,
  );
});

test('a head that came too late is told so, and what is no HTTP as well', async () => {
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  server.once('connection', (socket) => setTimeout(() => server.emit('clientError', late, socket), 20));
  expect(await exchange('GET /late HTT')).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  expect(await exchange('no HTTP\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
});
