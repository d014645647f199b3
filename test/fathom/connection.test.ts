// Section 8: path, version, token, origin, close codes, shutdown; metrics and health.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createFathomServer } from '@sbx/fathom-server';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { sleep, until } from '../helpers/wait.js';
import { execute, noSleepIsLeft, Talk, useServer } from './server.js';

const TOKEN = 'a token of ümlauts';
const GRACE_MS = 400;
const open = useServer({ orphanGraceMs: GRACE_MS, parallelism: 2, connectionCountMax: 40 });
const guarded = useServer({ token: 'secret-token', pingMs: 150 }, () => open.server.engine);

/** Status and headers of a refused upgrade. */
function refusal(
  url: string,
  options: ClientOptions & { protocols?: string[] } = {},
): Promise<{ status: number; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, options.protocols ?? [], options);
    socket.once('unexpected-response', (_request, response) => {
      resolve({ status: response.statusCode!, headers: response.headers });
      response.destroy();
      socket.terminate();
    });
    socket.once('open', () => reject(new Error('was let in')));
    socket.on('error', () => undefined);
  });
}

/** Headers of a taken upgrade. */
async function accepted(url: string, options: ClientOptions & { protocols?: string[] } = {}) {
  const socket = new WebSocket(url, options.protocols ?? [], options);
  let headers: Record<string, unknown> = {};
  socket.once('upgrade', (response) => {
    headers = response.headers;
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const { protocol } = socket;
  socket.terminate();
  return { headers, protocol };
}

describe('addresses', () => {
  test.each([
    ['/', 404],
    ['/wss', 404],
    ['/ws', 426],
    ['/ws?x=1', 426],
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/%zz', 404],
  ])('GET %s: %i', async (path, status) => {
    const answer = await fetch(open.http + path);
    expect(answer.status).toBe(status);
    if (status === 426) expect(answer.headers.get('upgrade')).toBe('websocket');
  });

  test('an offer of HTTP/2, which Java’s client makes with each request, is passed over', async () => {
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' };
    const [answer] = (await once(get(`${open.http}/healthz`, { headers }), 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
  });

  test.each([
    ['POST', { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }, 405],
    ['GET', { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'short' }, 400],
    ['GET', { 'Sec-WebSocket-Version': '7', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }, 400],
  ])(
    'an upgrade that is none, by %s with %j: %i, and the protocol’s version',
    async (method, more, status) => {
      const headers = { Connection: 'Upgrade', Upgrade: 'websocket', ...more };
      const [answer] = (await once(get(`${open.http}/ws`, { method, headers }), 'response')) as [
        IncomingMessage,
      ];
      answer.resume();
      expect([answer.statusCode, answer.headers['x-protocol-version']]).toEqual([status, '1']);
      if (status === 405) expect(answer.headers.allow).toBe('GET');
      else expect(answer.headers['sec-websocket-version']).toBe('13, 8');
    },
  );

  test('an upgrade elsewhere: 404', async () => {
    expect((await refusal(open.url.replace('/ws', '/other'))).status).toBe(404);
  });

  test('metrics tell executions by language and status, with no word of a client', async () => {
    const talk = await Talk.open(open.url);
    await talk.run({ id: 'very-own-id', code: 'exit 1' });
    await talk.run({ language: 'no-such-language' });
    const text = await (await fetch(`${open.http}/metrics`)).text();
    expect(text).toMatch(/^sbx_fathom_executions_total\{language="shell",status="failed"\} [1-9]/m);
    expect(text).toMatch(/^sbx_fathom_refusals_total\{code="LANGUAGE_NOT_SUPPORTED"\} 1$/m);
    expect(text).toMatch(/^sbx_fathom_connections [1-9]/m);
    expect(text).not.toMatch(/very-own-id|no-such-language/);
    await talk.close();
  });
});

describe('version', () => {
  test.each([undefined, '1', '1.0', '2, 1', ' 1 '])(
    '%j is served, and ours is in the answer',
    async (version) => {
      const headers: Record<string, string> = version === undefined ? {} : { 'X-Protocol-Version': version };
      const upgrade = await accepted(open.url, { headers });
      expect(upgrade.headers['x-protocol-version']).toBe('1');
      expect(upgrade.protocol).toBe('');
    },
  );

  test.each(['2', '', '1.1', 'one', '10'])('%j: one error that names 1, then 4406', async (version) => {
    const talk = await Talk.open(open.url, { headers: { 'X-Protocol-Version': version } });
    talk.socket.on('open', () => undefined);
    const { code, reason } = await talk.end();
    expect(code).toBe(4406);
    expect(reason).toMatch(/1/);
    expect(talk.heard).toEqual([
      {
        v: 1,
        type: 'error',
        ts: expect.any(String),
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(/1/),
        retryable: false,
      },
    ]);
  });
});

describe('token', () => {
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  test('right: served', async () => {
    const talk = await Talk.open(guarded.url, bearer('secret-token'));
    expect((await talk.run({ code: 'echo in' })).stdout).toBe('in\n');
    await talk.close();
  });

  test.each([
    ['none', {}],
    ['wrong', bearer('secret-toke')],
    ['longer', bearer('secret-token2')],
    ['other scheme', { headers: { Authorization: 'Basic secret-token' } }],
    ['in the address', {}],
  ])('%s: 401 with WWW-Authenticate, no upgrade', async (how, options) => {
    const url =
      how === 'in the address' ? `${guarded.url}?token=secret-token&access_token=secret-token` : guarded.url;
    const { status, headers } = await refusal(url, options);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(headers['x-protocol-version']).toBe('1');
  });

  test('metrics need it too; health does not', async () => {
    expect((await fetch(`${guarded.http}/metrics`)).status).toBe(401);
    expect((await fetch(`${guarded.http}/metrics`, bearer('secret-token'))).status).toBe(200);
    expect((await fetch(`${guarded.http}/healthz`)).status).toBe(200);
  });

  test('web pages bring it in a subprotocol, and are answered with the protocol’s own', async () => {
    await using server = await createFathomServer({
      port: 0,
      standby: {},
      token: TOKEN,
      engine: open.server.engine,
    });
    const [url] = (await server.listen()).urls;
    const carrier = `fathom.bearer.${Buffer.from(TOKEN).toString('base64url')}`;
    const { protocol } = await accepted(url!, { protocols: ['fathom.v1', carrier] });
    expect(protocol).toBe('fathom.v1');
    for (const protocols of [['fathom.v1', `${carrier}x`], ['fathom.v1']]) {
      const turnedAway = await Talk.open(url!, { protocols }); // such clients cannot see a 401
      expect(await turnedAway.end()).toMatchObject({ code: 4401 });
      expect(turnedAway.heard).toEqual([]);
    }
    expect((await refusal(url!, { protocols: [`${carrier}x`] })).status).toBe(401);
  });
});

describe('web pages, where no token is asked for', () => {
  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:80'])(
    '%s is of this machine',
    async (origin) => {
      await accepted(open.url, { origin });
    },
  );

  test.each(['https://example.org', 'null', 'http://localhost.example.org', 'http://127.0.0.1.example.org'])(
    '%s: 403',
    async (origin) => {
      expect((await refusal(open.url, { origin })).status).toBe(403);
    },
  );

  test.each(['https://example.org/', 'https://example.org:443', 'example.org', 'https://Example.org', '*'])(
    'one that no browser sends is refused: %s',
    async (origin) => {
      const options = { allowedOrigins: [origin], engine: open.server.engine };
      const refusal = { code: 'SBX_INVALID_OPTIONS', field: 'options.allowedOrigins[0]' };
      await expect(createFathomServer(options)).rejects.toMatchObject(refusal);
    },
  );

  test('one whose own name was made to lead here: 403, for metrics too', async () => {
    const headers = { Host: 'evil.example:8765' };
    const page = { headers: { ...headers, Origin: 'http://evil.example:8765' } };
    expect((await refusal(open.url, page)).status).toBe(403);
    // A program that comes by a proxy: browsers send an origin with every upgrade.
    await accepted(open.url, { headers });
    const metrics = (options: object) =>
      new Promise<number>((resolve, reject) => {
        const sent = get(`${open.http}/metrics`, { agent: false, ...options }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        sent.on('error', reject);
      });
    expect(await metrics({ headers })).toBe(403);
    expect(await metrics({ headers: { Origin: 'https://example.org' } })).toBe(403);
    expect(await metrics({})).toBe(200);
    await accepted(open.url, { headers: { Host: 'localhost:8765' } });
  });

  test('one that is listed is let in, and with a token all are', async () => {
    await using server = await createFathomServer({
      standby: {},
      port: 0,
      allowedOrigins: ['https://example.org', 'chrome-extension://abcdef', 'http://localhost:3000', 'null'],
      engine: open.server.engine,
    });
    const [url] = (await server.listen()).urls;
    await accepted(url!, { origin: 'https://example.org' });
    await accepted(guarded.url, {
      origin: 'https://example.com',
      headers: { Authorization: 'Bearer secret-token' },
    });
  });
});

describe('the end of a connection', () => {
  test.each([0, 1, 24])('a message over the limit: 1009, also for who still sends %i MiB', async (more) => {
    const talk = await Talk.open(open.url);
    talk.send(`{"v":1,"type":"ping","ts":"${'x'.repeat((8 + more) * 2 ** 20)}"}`);
    expect((await talk.end()).code).toBe(1009);
  });

  test('what was asked before is answered, also in the same turn', async () => {
    const talk = await Talk.open(open.url);
    const connection = (talk.socket as unknown as { _socket: Socket })._socket;
    connection.cork();
    talk.ping();
    talk.socket.send(Buffer.from([0xff]), { binary: false });
    connection.uncork();
    expect((await talk.end()).code).toBe(1007);
    expect(talk.heard.map(({ type }) => type)).toEqual(['pong']);
  });

  test('a text frame that is no UTF-8: 1007', async () => {
    const talk = await Talk.open(open.url);
    talk.socket.send(Buffer.from([0xff]), { binary: false });
    expect((await talk.end()).code).toBe(1007);
  });

  test('what runs goes on for the grace, then it is killed; it keeps its place until then', async () => {
    const talk = await Talk.open(open.url);
    const id = talk.start({ code: 'sleep 7333' });
    const queued = [talk.start({ code: 'sleep 7333' }), talk.start({ code: 'sleep 7333' })];
    await talk.running(id);
    await talk.running(queued[0]!);
    talk.socket.terminate();
    await sleep(GRACE_MS / 2);
    expect(open.server.load()).toEqual({ active: 2, waiting: 1 });
    await until(GRACE_MS * 3, 'places are free', () => open.server.load().active === 0);
    expect(open.server.load().waiting).toBe(0);
    await noSleepIsLeft();
  });

  test('one that ends within the grace is not killed', async () => {
    const talk = await Talk.open(open.url);
    const id = talk.start({
      code: 'sleep 0.1; yes | head -c 3000000',
      limits: { max_output_bytes: 4_000_000 },
    });
    await talk.running(id);
    const { ok: before } = open.server.engine.counters().byStatus;
    talk.socket.terminate();
    await until(5000, 'its place is free', () => open.server.load().active === 0);
    expect(open.server.engine.counters().byStatus.ok).toBe(before + 1);
    const text = await (await fetch(`${open.http}/metrics`)).text();
    expect(text).toMatch(/language="shell",status="orphaned"\} [1-9]/);
  });

  test('a peer that answers no ping is dropped; one that does, stays', async () => {
    const options = { headers: { Authorization: 'Bearer secret-token' } };
    const dead = await Talk.open(guarded.url, { ...options, autoPong: false });
    const live = await Talk.open(guarded.url, options);
    expect((await dead.end()).code).toBe(1006);
    expect(live.closed).toBeNull();
    expect(live.heard).toEqual([]); // no greeting
    await live.close();
  });

  test('more connections than allowed: 503', async () => {
    const talks = [];
    for (;;) {
      const talk = await Talk.open(open.url).catch(() => null);
      if (talk === null) break;
      talks.push(talk);
    }
    expect(talks.length).toBeGreaterThan(30);
    expect((await refusal(open.url)).status).toBe(503);
    for (const talk of talks) await talk.close();
  });
});

describe('shutdown', () => {
  test('every active execution gets INTERNAL_ERROR, retryable; then 1001; new ones are refused', async () => {
    const server = await createFathomServer({ port: 0, standby: {}, parallelism: 1 });
    const [url] = (await server.listen()).urls;
    const talk = await Talk.open(url!);
    const ids = [talk.start({ code: 'sleep 7334' }), talk.start({ code: 'sleep 7334' })];
    await talk.running(ids[0]!);
    const closing = server.close();
    for (const id of ids) {
      const fate = await talk.fate(id);
      expect(fate.error).toMatchObject({ code: 'INTERNAL_ERROR', retryable: true });
      expect(fate.result).toBeUndefined();
    }
    expect((await talk.end()).code).toBe(1001);
    await closing;
    await server.close();
    await noSleepIsLeft();
    await expect(Talk.open(url!)).rejects.toThrow();
  });

  test('with drainMs what runs may finish, and nothing new is taken', async () => {
    const server = await createFathomServer({ port: 0, standby: {}, drainMs: 10_000 });
    const [url] = (await server.listen()).urls;
    const talk = await Talk.open(url!);
    const id = talk.start({ code: 'sleep 0.5; echo finished' });
    await talk.running(id);
    const closing = server.close();
    expect((await talk.run({ code: '' })).sequence).toBe('error:SANDBOX_OVERLOADED');
    expect(await talk.fate(id)).toMatchObject({ status: 'completed', stdout: 'finished\n' });
    expect((await talk.end()).code).toBe(1001);
    await closing;
  });
});

test('mounts into a server of the caller’s, and logs nothing of code, input, env, token', async () => {
  const lines: string[] = [];
  const log = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const logger = { debug: log, info: log, warn: log, error: log };
  const server = await createFathomServer({
    standby: {},
    path: '/code/ws',
    token: 'TOKEN-IN-LOG',
    logger,
    engine: open.server.engine,
  });
  const http = createServer((request, response) => server.handler(request, response));
  http.on('upgrade', server.handleUpgrade);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  const talk = await Talk.open(`ws://127.0.0.1:${port}/code/ws`, {
    headers: { Authorization: 'Bearer TOKEN-IN-LOG' },
  });
  const secret = { code: 'echo CODE-IN-LOG', stdin: 'INPUT-IN-LOG', env: { NAME_IN_LOG: 'VALUE-IN-LOG' } };
  expect((await talk.run(secret)).stdout).toBe('CODE-IN-LOG\n');
  talk.send({ ...execute(secret), env: { NAME_IN_LOG: 7 } });
  talk.send('{"CODE-IN-LOG":');
  talk.ping('done');
  const pong = await talk.until(({ id }) => id === 'done');
  expect(pong.type).toBe('pong');
  await server.close();
  await new Promise((resolve) => http.close(resolve));
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines.join('\n')).not.toMatch(/IN.LOG/);
  const answers = talk.heard.filter(({ type }) => type !== 'stdout');
  expect(JSON.stringify(answers)).not.toMatch(/IN.LOG/);
});

test.each([
  [{ port: 'x' }, /options\.port/],
  [{ prot: 1 }, /prot/],
  [{ languages: ['typescript'] }, /compile/],
  [{ languages: ['js'] }, /javascript/],
  [{ languages: ['klingon'] }, /language/],
])('options %j are refused', async (options, text) => {
  await expect(createFathomServer(options as never)).rejects.toThrow(text);
});

describe('what is offered beyond the protocol is not refused, and not taken', () => {
  test('subprotocols of others, compression', async () => {
    const { port } = new URL(open.url);
    const head = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        'GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: chat, graphql-ws\r\n' +
          'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n',
      );
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
    });
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).not.toMatch(/Sec-WebSocket-(Protocol|Extensions)/i);
  });
});

test('a grace of 0: executions end with their connection', async () => {
  const options = { port: 0, standby: {}, orphanGraceMs: 0, engine: open.server.engine };
  await using server = await createFathomServer(options);
  const [url] = (await server.listen()).urls;
  const talk = await Talk.open(url!);
  await talk.running(talk.start({ code: 'sleep 7337' }));
  talk.socket.terminate();
  await until(500, 'its place is free', () => server.load().active === 0);
});
