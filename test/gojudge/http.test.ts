// Routes, errors, files: what HTTP clients see.
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { runningPrograms } from '../helpers/running.js';
import { until } from '../helpers/wait.js';
import { cmd, post, useServer } from './server.js';

const server = useServer({ enableMetrics: true, enableDebug: true });

/** Status, headers and body without what fetch does on its own. */
function raw(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      // Not a URL: those have their dots resolved.
      const sent = request({ hostname, port, path, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

async function upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  const response = await fetch(`${server.url}/file`, { method: 'POST', body: form });
  expect(response.status).toBe(200);
  return (await response.json()) as string;
}

describe('paths', () => {
  test.each([
    ['GET', '/run'],
    ['GET', '//file'],
    ['GET', '/File'],
    ['GET', '/nothing'],
    ['PUT', '/run'],
    ['DELETE', '/file/'],
    ['GET', '/run/'],
    ['GET', '/file/a%2Fb'],
  ])('%s %s is not found', async (method, path) => {
    expect(await raw(method, path)).toMatchObject({
      status: 404,
      text: '404 page not found',
      headers: { 'content-type': 'text/plain', 'content-length': '18' },
    });
  });

  test('HEAD is never found', async () => {
    expect((await raw('HEAD', '/version')).status).toBe(404);
  });

  test.each([
    ['GET', '/file/', 301, '/file'],
    ['GET', '/version/', 301, '/version'],
    ['POST', '/run/', 307, '/run'],
    ['DELETE', '/file/x/', 307, '/file/x'],
  ])('%s %s is redirected', async (method, path, status, location) => {
    expect(await raw(method, path)).toMatchObject({ status, headers: { location } });
  });

  test('a WebSocket address without an upgrade', async () => {
    const { status, text, headers } = await raw('GET', '/ws');
    expect([status, text, headers['sec-websocket-version']]).toEqual([
      400,
      `Bad Request\n"websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header"`,
      '13',
    ]);
  });

  test('the form that proxies are asked in', async () => {
    expect((await raw('GET', 'http://elsewhere.example/version?x')).status).toBe(200);
  });

  test('a connection waits for its next request without an end', async () => {
    const { headers } = await raw('GET', '/version', { connection: 'keep-alive' });
    expect(headers).toMatchObject({ connection: 'keep-alive' });
    expect(headers).not.toHaveProperty('keep-alive'); // no time-out to tell
  });

  test('an offer of another protocol is ignored', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
    };
    const answer = await raw('POST', '/run', headers, JSON.stringify({ cmd: [cmd(['/bin/echo', 'x'])] }));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)[0].status).toBe('Accepted');
  });
});

describe('/run', () => {
  test('answers with one line of JSON', async () => {
    const response = await post(server.url, { cmd: [cmd(['/bin/true'])] });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toMatch(
      /^\[\{"status":"Accepted","exitStatus":0,"time":\d+,"memory":\d+,"runTime":\d+,"files":\{"stderr":"","stdout":""\}\}\]\n$/,
    );
  });

  test('writes text as Go does', async () => {
    const content = '<a href="x">&\u2028\u2029 \ufffd \u007f é\t\u0001</a>';
    const files = [{ content }, { name: 'o', max: 1000 }];
    const text = await (await post(server.url, { cmd: [cmd(['/bin/cat'], { files })] })).text();
    expect(text).toContain(
      '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029 \ufffd \u007f é\\t\\u0001\\u003c/a\\u003e"',
    );
  });

  test('a byte that is no UTF-8 is six characters on the wire', async () => {
    const files = [{ content: '' }, { name: 'o', max: 1000 }];
    const text = await (
      await post(server.url, { cmd: [cmd(['/usr/bin/printf', 'a\\377b'], { files })] })
    ).text();
    expect(text).toContain('"o":"a\\ufffdb"');
  });

  test('a client that leaves takes its run along, and nothing stays in the store', async () => {
    const controller = new AbortController();
    const body = { cmd: [cmd(['/bin/sh', '-c', 'echo x > f; sleep 30'], { copyOutCached: ['f'] })] };
    const answer = post(server.url, body, { signal: controller.signal }).catch(() => null);
    await runningPrograms('sleep');
    const startedAt = performance.now();
    controller.abort();
    await answer;
    await expect.poll(() => server.server.engine.counters().sandboxes, { timeout: 2000 }).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    const stored = async () => (await fetch(`${server.url}/file`)).json();
    await expect.poll(stored, { timeout: 2000 }).toEqual({});
  });

  test('closing the sending side is leaving, but the answer comes', async () => {
    const body = JSON.stringify({ cmd: [cmd(['/bin/sleep', '30'])] });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await runningPrograms('sleep');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.end();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(chunks).toString()).toMatch(
      /^HTTP\/1.1 200 OK[\s\S]*"status":"Signalled","exitStatus":9/,
    );
  });
});

describe('/file', () => {
  test('up, listed, down, away', async () => {
    const id = await upload('dir/na"me.txt', 'hello');
    expect(id).toMatch(/^[A-Z2-7]{8}$/);
    expect(await (await fetch(`${server.url}/file`)).json()).toMatchObject({
      [id]: expect.stringContaining('me.txt'),
    });
    const down = await fetch(`${server.url}/file/${id}`);
    expect(await down.text()).toBe('hello');
    expect(down.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(down.headers.get('accept-ranges')).toBe('bytes');
    expect(await raw('DELETE', `/file/${id}`)).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '0' },
    });
    expect(await raw('DELETE', `/file/${id}`)).toMatchObject({ status: 404, text: '' });
    expect(await raw('GET', `/file/${id}`)).toMatchObject({ status: 404, text: '' });
  });

  test('names in Content-Disposition', async () => {
    const plain = await upload('a b.json', '{}');
    const other = await upload('ż ó.bin', '\0');
    const headersOf = async (id: string) => (await fetch(`${server.url}/file/${id}`)).headers;
    expect((await headersOf(plain)).get('content-disposition')).toBe('attachment; filename="a b.json"');
    expect((await headersOf(plain)).get('content-type')).toBe('application/json');
    expect((await headersOf(other)).get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''%C5%BC+%C3%B3.bin",
    );
    for (const id of [plain, other]) await fetch(`${server.url}/file/${id}`, { method: 'DELETE' });
  });

  test('ranges and conditions', async () => {
    const id = await upload('x.txt', '0123456789');
    const get = (headers: Record<string, string>) => raw('GET', `/file/${id}`, headers);
    expect(await get({ range: 'bytes=2-4' })).toMatchObject({
      status: 206,
      text: '234',
      headers: { 'content-range': 'bytes 2-4/10' },
    });
    expect(await get({ range: 'bytes=-3' })).toMatchObject({ status: 206, text: '789' });
    expect(await get({ range: 'bytes=20-' })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */10' },
    });
    expect(await get({ range: 'lines=1' })).toMatchObject({ status: 416 });
    expect((await get({ range: 'bytes=0-1,4-5' })).text).toMatch(
      /bytes 0-1\/10[\s\S]*01[\s\S]*bytes 4-5\/10[\s\S]*45/,
    );
    const { headers } = await get({});
    expect(await get({ 'if-modified-since': headers['last-modified'] as string })).toMatchObject({
      status: 304,
    });
    expect(await get({ 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' })).toMatchObject({
      status: 412,
    });
    await fetch(`${server.url}/file/${id}`, { method: 'DELETE' });
  });

  test.each([
    ['not multipart', 'text/plain', 'x'],
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'another part name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'no file name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'no closing boundary',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n',
    ],
  ])('upload with %s is refused', async (_what, type, body) => {
    expect(await raw('POST', '/file', { 'content-type': type }, body)).toMatchObject({
      status: 400,
      text: '',
    });
    expect(await (await fetch(`${server.url}/file`)).json()).toEqual({});
  });

  test.each([
    [
      'bare line feeds, preamble and epilogue',
      'preamble\n--b\nContent-Disposition: form-data; name="file"; filename="x"\n\nx\ny\n--b--\nepilogue',
      'x\ny',
    ],
    [
      'text like a boundary inside',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\na --b\r\n--bc\r\n\r\n--b--\r\n',
      'a --b\r\n--bc\r\n',
    ],
    [
      'quoted-printable',
      '--b\r\nContent-Disposition: form-data; name=file; filename=x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=3Db=\r\nc\r\n--b--',
      'a=bc',
    ],
    [
      'an empty file',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n\r\n--b--',
      '',
    ],
    [
      'a field before it',
      '--b\r\nContent-Disposition: form-data; name="q"\r\n\r\nv\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nz\r\n--b--',
      'z',
    ],
  ])('upload with %s is taken', async (_what, body, content) => {
    const answer = await raw('POST', '/file', { 'content-type': 'multipart/form-data; boundary=b' }, body);
    expect(answer.status).toBe(200);
    const id = JSON.parse(answer.text) as string;
    expect(await (await fetch(`${server.url}/file/${id}`)).text()).toBe(content);
    await fetch(`${server.url}/file/${id}`, { method: 'DELETE' });
  });

  test.each(['..', '.', '.sbx', '%2e%2e', 'abcdefgh'])('id %s is not found', async (id) => {
    expect((await raw('GET', `/file/${id}`)).status).toBe(404);
    expect((await raw('DELETE', `/file/${id}`)).status).toBe(404);
  });

  test('16 MiB through the store and a program', async () => {
    const bytes = new Uint8Array(16 * 2 ** 20).fill(97);
    const id = await upload('big', bytes);
    const body = {
      cmd: [
        cmd(['/usr/bin/wc', '-c', 'in'], {
          copyIn: { in: { fileId: id } },
          copyOutCached: ['in'],
          memoryLimit: 2 ** 28,
        }),
      ],
    };
    const [result] = (await (await post(server.url, body)).json()) as {
      status: string;
      files: Record<string, string>;
      fileIds: Record<string, string>;
    }[];
    expect(result).toMatchObject({ status: 'Accepted', files: { stdout: '16777216 in\n' } });
    const back = await fetch(`${server.url}/file/${result!.fileIds.in}`);
    expect((await back.arrayBuffer()).byteLength).toBe(16 * 2 ** 20);
    for (const one of [id, result!.fileIds.in])
      await fetch(`${server.url}/file/${one}`, { method: 'DELETE' });
  });
});

/** Answers so far, by the metrics. */
async function answered(): Promise<{ count: number; bytes: number }> {
  const text = await (await fetch(`${server.monitorUrl}/metrics`)).text();
  const figure = (name: string) =>
    Number(new RegExp(`^gin_response_size_bytes_${name} (\\d+)$`, 'm').exec(text)![1]);
  return { count: figure('count'), bytes: figure('sum') };
}

describe('monitor', () => {
  test("metrics by go-judge's names, and health", async () => {
    await post(server.url, { cmd: [cmd(['/bin/true'])] });
    const text = await (await fetch(`${server.monitorUrl}/metrics`)).text();
    for (const name of [
      'go_judge_exec_time_seconds_bucket{le="0.001",status="Accepted"}',
      'go_judge_worker_queue_count 0',
      'go_judge_file_current_bytes_count',
      'gin_requests_total{code="200",method="POST",handler="/run",host="",url="/run"}',
    ])
      expect(text).toContain(name);
    for (const name of ['cpu_seconds', 'memory_bytes', 'memory_max_bytes']) {
      for (const type of ['all', 'controller', 'containers']) {
        const figure = new RegExp(`^go_judge_cgroup_${name}\\{type="${type}"\\} (\\S+)$`, 'm').exec(
          text,
        )?.[1];
        expect(Number(figure), `${name} of ${type}`).toBeGreaterThan(0);
      }
    }
    expect((await fetch(`${server.monitorUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.monitorUrl}/readyz`)).status).toBe(200);
    const missing = await fetch(`${server.monitorUrl}/x`);
    expect([missing.status, await missing.text()]).toEqual([404, '404 page not found\n']);
  });

  test('pages are there for probes by HEAD', async () => {
    const ask = (path: string) => fetch(`${server.monitorUrl}${path}`, { method: 'HEAD' });
    expect((await ask('/metrics')).status).toBe(200);
    expect((await ask('/nothing')).status).toBe(404);
  });

  test('the size of an answer is that of its body, however it is sent', async () => {
    const id = await upload('x', '0123456789');
    const echo = (content: string) => {
      const files = [{ content }, { name: 'stdout', max: 2 ** 20 }];
      return JSON.stringify({ cmd: [cmd(['/bin/cat'], { files })] });
    };
    const requests: readonly [number, ...Parameters<typeof raw>][] = [
      [20, 'POST', '/run', {}, echo('hello')],
      [500_000, 'POST', '/run', {}, echo('x'.repeat(500_000))],
      [10, 'GET', `/file/${id}`],
      [100, 'GET', `/file/${id}`, { range: 'bytes=0-1,4-5' }],
      [18, 'GET', '/nothing'],
      [40, 'GET', '/file/'],
      [0, 'DELETE', `/file/${id}`],
    ];
    for (const [bytesMin, ...ask] of requests) {
      const before = await answered();
      const { text } = await raw(...ask);
      expect(Buffer.byteLength(text)).toBeGreaterThanOrEqual(bytesMin);
      await until(2000, 'the answer is counted', async () => (await answered()).count > before.count);
      expect((await answered()).bytes - before.bytes, `${ask[0]} ${ask[1]}`).toBe(Buffer.byteLength(text));
    }
  });

  test('profiles of Node where go-judge has those of Go', async () => {
    const get = (path: string) => fetch(`${server.monitorUrl}/debug/pprof/${path}`);
    expect(await (await get('')).text()).toContain('/debug/pprof/profile');
    expect((await (await get('cmdline')).text()).split('\0')).toEqual(process.argv);
    const both = await Promise.all([get('profile?seconds=0.2'), get('profile?seconds=0.2')]);
    const [profile, second] = both.sort((a, b) => a.status - b.status); // whichever came first
    expect(await profile!.json()).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    expect(second!.status).toBe(500);
    for (const seconds of ['0', 'x', '301'])
      expect((await get(`profile?seconds=${seconds}`)).status).toBe(400);
    expect((await get('symbol')).status).toBe(404);
  });
});
