// Pages that a browser on the server's machine shows: none of another machine gets to the server, and files
// of the host are not there for the asking.
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { cmd, post, useServer } from './server.js';

const EVIL = 'http://evil.example';

const runFrom = async (url: string, origin?: string) =>
  (await post(url, { cmd: [cmd(['/bin/true'])] }, { headers: origin === undefined ? {} : { origin } }))
    .status;

/** The HTTP status, or 101 when it was opened. */
function socketFrom(url: string, path: string, origin?: string): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, origin === undefined ? {} : { origin });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      resolve(statusCode);
    });
    socket.once('error', reject);
  });
}

const ask = async (url: string, src: string) => {
  const response = await post(url, { cmd: [cmd(['/bin/cat', 'a'], { copyIn: { a: { src } } })] });
  return [response.status, await response.text()] as const;
};

describe('by default', () => {
  const server = useServer({ enableDebug: true });

  test.each(['/ws', '/stream'])('a page of another machine does not get to %s', async (path) => {
    expect(await socketFrom(server.url, path, EVIL)).toBe(403);
    expect(await socketFrom(server.url, path, 'http://localhost:3000')).toBe(101);
    expect(await socketFrom(server.url, path)).toBe(101);
  });

  test('a page of another machine does not get to /run', async () => {
    expect(await runFrom(server.url, EVIL)).toBe(403);
    expect(await runFrom(server.url, 'null')).toBe(403);
    expect(await runFrom(server.url, 'http://127.0.0.1:8080')).toBe(200);
    expect(await runFrom(server.url)).toBe(200);
  });

  test('files of the host are not there unless a folder was given', async () => {
    const [status, text] = await ask(server.url, '/etc/passwd');
    expect(status).toBe(400);
    expect(text).toBe(
      '"file (/etc/passwd) does not under ([]): start the server with -src-prefix to allow a folder"',
    );
    expect((await ask(server.url, '/dev/null'))[0]).toBe(200);
  });

  test('profiles are open', async () => {
    expect((await fetch(`${server.monitorUrl}/debug/pprof/cmdline`)).status).toBe(200);
  });
});

describe('strict', () => {
  const server = useServer({ compat: 'strict' });

  test('pages and files of the host are as with go-judge', async () => {
    expect(await socketFrom(server.url, '/ws', EVIL)).toBe(101);
    expect(await runFrom(server.url, EVIL)).toBe(200);
    const [status, text] = await ask(server.url, '/etc/passwd');
    expect([status, text.includes('root:')]).toEqual([200, true]);
  });
});

describe('with a token', () => {
  const server = useServer({ enableDebug: true, authToken: 's3cret' });

  test('profiles ask for it, since it is in them', async () => {
    const get = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${server.monitorUrl}${path}`, { headers })).status;
    for (const page of ['', 'cmdline', 'heap', 'profile?seconds=0.1']) {
      expect(await get(`/debug/pprof/${page}`), page).toBe(401);
      expect(await get(`/debug/pprof/${page}`, { authorization: 'Bearer s3cre' }), page).toBe(401);
    }
    expect(await get('/debug/pprof/cmdline', { authorization: 'Bearer s3cret' })).toBe(200);
    expect(await get('/healthz')).toBe(200);
  });
});
