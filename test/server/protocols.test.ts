// Every protocol on one port, over one engine, under one token.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import { createServer } from '@sbx/server';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useServer } from './server.js';

const open = useServer();
const guarded = useServer({ token: 'secret' }, () => open.server);
const chosen = useServer({ protocols: ['fathom'], console: false }, () => open.server);
const second = useServer({ allowedOrigins: ['https://judge.example'] }, () => open.server);

const echo = { args: ['/bin/echo', 'hello'] };
const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });

/** Status of a refused upgrade, or 101. */
function upgrade(
  url: string,
  headers: Record<string, string> = {},
  protocols: string[] = [],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), protocols, { headers });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_request, { statusCode, socket: raw }) => {
      raw.destroy();
      resolve(statusCode!);
    });
    socket.on('error', (error) => reject(error));
  });
}

describe('one port', () => {
  test("go-judge's clients run programs, over REST and sockets", async () => {
    await using client = new GojudgeClient({ url: open.url });
    expect((await client.run(echo)).stdout).toBe('hello\n');
    await using session = await client.connect();
    expect((await session.run(echo)).stdout).toBe('hello\n');
    await using run = await client.interact(echo);
    expect(await run.text()).toBe('hello\n');
    await using file = await client.upload('content', 'name');
    expect(new TextDecoder().decode(await client.download(file.fileId))).toBe('content');
  });

  test("Fathom's clients run code", async () => {
    await using client = new FathomClient({ url: `${open.url}/fathom` });
    const { stdout, ok } = await client.execute({ language: 'shell', code: 'echo hello' });
    expect({ stdout, ok }).toEqual({ stdout: 'hello\n', ok: true });
  });

  test('MCP clients find their tools', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${open.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('run_code');
    await client.close();
  });

  test('health, readiness, and metrics of all that name each one once', async () => {
    expect(await (await get(`${open.url}/healthz`)).text()).toBe('ok\n');
    expect(await (await get(`${open.url}/readyz`)).text()).toBe('ok\n');
    const page = await (await get(`${open.url}/metrics`)).text();
    const names = [...page.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!);
    expect(names).toEqual(
      expect.arrayContaining(['go_judge_worker_queue_count', 'sbx_fathom_queue_depth', 'process_open_fds']),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('what nobody serves is not found', async () => {
    expect((await get(`${open.url}/nothing`)).status).toBe(404);
    expect((await get(`${open.url}/__proto__`)).status).toBe(404);
    expect((await get(`${chosen.url}/version`)).status).toBe(404);
    expect(await upgrade(`${chosen.url}/stream`)).toBe(404);
    expect(chosen.server.protocols).toEqual(['fathom']);
  });

  test('a connection waits for its next request, and who closes the sending side gets an answer', async () => {
    const { connect } = await import('node:net');
    const { port, hostname } = new URL(open.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let got = '';
    for await (const chunk of socket) got += chunk;
    expect(got).toMatch(/^HTTP\/1\.1 200 OK/);
    expect((await get(`${open.url}/version`)).headers.get('keep-alive')).toBeNull(); // no time-out to tell
  });

  test('an offer of HTTP/2 is answered as a plain request', async () => {
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' };
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request(`${open.url}/version`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(200);
  });
});

describe('one token', () => {
  const bearer = { Authorization: 'Bearer secret' };

  test.each(['/file', '/mcp', '/metrics'])('%s asks for it', async (path) => {
    expect((await get(guarded.url + path)).status).toBe(401);
    expect((await get(guarded.url + path, bearer)).status).not.toBe(401);
  });

  test.each(['/ws', '/stream', '/fathom'])('%s asks for it before it upgrades', async (path) => {
    expect(await upgrade(guarded.url + path)).toBe(401);
    expect(await upgrade(guarded.url + path, bearer)).toBe(101);
  });

  test('a browser brings it to the sockets of go-judge as a subprotocol', async () => {
    const token = Buffer.from('secret').toString('base64url');
    expect(await upgrade(`${guarded.url}/stream`, {}, ['gojudge.v1', `gojudge.bearer.${token}`])).toBe(101);
    expect(await upgrade(`${guarded.url}/stream`, {}, ['gojudge.v1', 'gojudge.bearer.eA'])).toBe(401);
  });

  test('health asks for none', async () => {
    expect((await get(`${guarded.url}/healthz`)).status).toBe(200);
  });
});

describe('pages of others', () => {
  const stranger = { Origin: 'https://evil.example' };
  const listed = { Origin: 'https://judge.example' };

  test.each(['/version', '/file', '/fathom', '/mcp', '/metrics'])('%s is refused to them', async (path) => {
    expect((await get(open.url + path, stranger)).status).toBe(403);
  });

  test.each(['/ws', '/stream', '/fathom'])('so is the socket %s', async (path) => {
    expect(await upgrade(open.url + path, stranger)).toBe(403);
    expect(await upgrade(second.url + path, listed)).toBe(101);
    expect(await upgrade(second.url + path, { Origin: second.url })).toBe(101);
  });

  test('those that are listed may call, and this machine still', async () => {
    expect((await get(`${second.url}/version`, listed)).status).toBe(200);
    expect((await get(`${second.url}/version`, { Origin: second.url })).status).toBe(200);
    expect((await get(`${second.url}/version`, stranger)).status).toBe(403);
  });
});

test.each([
  [{ protocols: ['gojudge', 'gojudge'] }, 'options.protocols must name each protocol once'],
  [{ protocols: ['fifo'] }, /options\.protocols\[0\] must be one of gojudge, fathom, mcp/],
  [{ prot: 1 }, /options\.prot is no option/],
  [{ mcp: { token: 'secret' } }, /^options\.mcp\.token must be absent: .* Give options\.token\.$/],
  [{ fathom: { allowedOrigins: ['https://a.example'] } }, /^options\.fathom\.allowedOrigins must be absent/],
  [{ gojudge: { host: '::1' } }, /^options\.gojudge\.host must be absent/],
  [
    { gojudge: { mountConf: null, bodyMaxByte: 1 } },
    /^options\.gojudge\.bodyMaxByte is no option\. Did you mean bodyMaxBytes\?/,
  ],
])('%j is refused', async (options, message) => {
  const engine = open.server.engine;
  await expect(createServer({ engine, ...options } as never)).rejects.toThrow(message);
});
