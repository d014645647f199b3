// Who may call, and what a request may be; by plain requests, as others send them.
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { TestClient, useServer } from './server.js';

const open = useServer({ allowedOrigins: ['https://friend.example'], messageBytesMax: 64 * 1024 });
const guarded = useServer({ token: 'secret-token', engine: undefined });

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `fetch` sets no Host and no Origin of one's own. */
function ask(url: string, { method = 'POST', path, headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const target = new URL(path ?? new URL(url).pathname, url);
      const accept = 'application/json, text/event-stream';
      const sent = request(
        target,
        { method, headers: { accept, 'content-type': 'application/json', ...headers }, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              text: Buffer.concat(chunks).toString(),
              headers: response.headers,
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body ?? (method === 'POST' ? JSON.stringify(INITIALIZE) : undefined));
    },
  );
}

describe('without a token', () => {
  test.each<[string, Record<string, string>, number]>([
    ['a program', {}, 200],
    ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
    ['a page that is listed', { origin: 'https://friend.example' }, 200],
    ['another page', { origin: 'https://evil.example' }, 403],
    ['a page without an origin of its own', { origin: 'null' }, 403],
    ['a page whose name leads here', { host: 'evil.example:8766' }, 403],
    ['localhost by name', { host: 'localhost:8766' }, 200],
  ])('%s %j', async (_, headers, status) => {
    expect((await ask(open.url, { headers })).status).toBe(status);
  });
});

describe('with a token', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: 'Basic secret-token' }, 401],
    [{ authorization: 'Bearer secret-token' }, 200],
    [{ authorization: 'bearer secret-token', origin: 'https://evil.example' }, 200],
  ])('%j', async (headers, status) => {
    const { status: got, text, headers: told } = await ask(guarded.url, { headers });
    expect(got).toBe(status);
    expect(text).not.toContain('secret-token');
    if (status === 401) expect(told['www-authenticate']).toBe('Bearer');
  });

  test.each(['legacy', 'modern'] as const)('a client that brings it is served, %s', async (era) => {
    await using client = await TestClient.overHttp(guarded.url, era, {
      authorization: 'Bearer secret-token',
    });
    expect((await client.call('run_command', { command: 'echo hi' })).fields.stdout).toBe('hi\n');
  });
});

test.each<[string, Asked, number]>([
  ['another path', { path: '/' }, 404],
  ['alive', { method: 'GET', path: '/healthz' }, 200],
  ['ready', { method: 'GET', path: '/readyz' }, 200],
  ['a message that is too large', { body: `"${'x'.repeat(64 * 1024)}"` }, 413],
  ['one that says so', { body: '{}', headers: { 'content-length': '9999999' } }, 413],
  ['no JSON', { body: '{' }, 400],
  ['no message', { body: '[]' }, 400],
  ['a call without a session', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
  ['a session that is none', { headers: { 'mcp-session-id': '__proto__' } }, 404],
  ['a stream without a session', { method: 'GET' }, 400],
  ['another method', { method: 'PUT' }, 405],
  ['a method that pages cannot have', { method: 'TRACE' }, 405],
])('%s', async (_, asked, status) => {
  const { status: got, text } = await ask(open.url, asked);
  expect({ got, text }).toEqual({ got: status, text: expect.any(String) });
  expect(text).not.toMatch(/\.js:\d+/);
});

test('requests that open no session leave none', async () => {
  const before = open.server.load().sessions;
  for (let n = 0; n < 100; n += 1) await ask(open.url, { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  expect(open.server.load().sessions).toBe(before);
});

const MIB = 2 ** 20;

test('parts of a large file take no more memory than the parts', async () => {
  const version = '2025-03-26'; // the only one with many calls in one message
  const began = await ask(open.url, {
    body: JSON.stringify({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: version } }),
  });
  const headers = { 'mcp-session-id': String(began.headers['mcp-session-id']) };
  const call = (id: number, name: string, args: object) => {
    return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
  };
  const command = 'head -c 60000000 /dev/zero > big';
  await ask(open.url, { headers, body: JSON.stringify(call(2, 'run_command', { command })) });
  const reads = Array.from({ length: 20 }, (_, at) =>
    call(at + 3, 'read_file', { path: 'big', maxBytes: 9 }),
  );
  const before = process.memoryUsage.rss();
  const { text } = await ask(open.url, { headers, body: JSON.stringify(reads) });
  const grown = process.resourceUsage().maxRSS * 1024 - before;
  expect(text.match(/"sizeBytes":60000000/g)).toHaveLength(20);
  expect(grown).toBeLessThan(300 * MIB);
}, 30_000);
