// A client that is closed, and sources and servers that end in the middle.
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { serve } from './fake-server.js';
import { GojudgeClient } from './node.js';

const RUN = { args: ['x'] };
const CLOSED = { code: 'GOJUDGE_CLOSED', retryable: false };

it('calls under way and later ones are told that the client was closed, and are not tried again', async () => {
  let count = 0;
  const { url } = await serve((request, response) => {
    count += 1;
    if (request.url === '/file/half') response.writeHead(200, { 'content-length': 2 }).write('a');
  });
  const client = new GojudgeClient({ url, backoffMs: 1 });
  const calls = Promise.allSettled([client.run(RUN), client.list(), client.download('half')]);
  await expect.poll(() => count, { timeout: 10_000 }).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50)); // for the first half of the download
  await client.close();
  for (const call of await calls) expect(call).toMatchObject({ reason: CLOSED });
  await expect(client.version()).rejects.toMatchObject(CLOSED);
  await client.close();
  expect(count).toBe(3);
});

it('a server that reads nothing does not keep a run that is closed', async () => {
  const { server, url } = await serve(() => undefined);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.pause());
  const run = await new GojudgeClient({ url }).interact(RUN);
  const startedAt = performance.now();
  await run.close();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it.each([
  ['fails', new Error('gone'), 'content could not be read: Error: gone'],
  ['is none of bytes', 5, 'content could not be read: TypeError: not a stream of bytes'],
])('a stream that %s is an error of the caller', async (_, last, message) => {
  const { url } = await serve((request, response) => {
    request.resume().on('end', () => response.end('"ID"'));
  });
  await using client = new GojudgeClient({ url });
  async function* source() {
    yield new Uint8Array(1);
    if (last instanceof Error) throw last;
    yield last as unknown as Uint8Array;
  }
  const expected = { code: 'GOJUDGE_REQUEST', message, retryable: false };
  await expect(client.upload(source())).rejects.toMatchObject(expected);
});

it('a token beyond ASCII goes as UTF-8', async () => {
  const seen: (string | undefined)[] = [];
  const { server, url } = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  });
  const connected = once(new WebSocketServer({ server }), 'connection');
  await using client = new GojudgeClient({ url, token: '€' });
  await client.list();
  await using _session = await client.connect();
  const [, { headers }] = await connected;
  const bytes = Buffer.from('Bearer €').toString('latin1');
  expect([...seen, headers.authorization]).toEqual([bytes, bytes]);
});

it.each(['http://user:secret@host:5050', 'http://host:5050?a', 'http://host:5050#a'])(
  '%s is no address: calls would go elsewhere, or nowhere',
  (url) => {
    expect(() => new GojudgeClient({ url })).toThrow(expect.objectContaining({ code: 'GOJUDGE_REQUEST' }));
  },
);

it('the password of an address that is refused is not in the error', () => {
  const make = () => new GojudgeClient({ url: 'http://user:secret@host:5050/' });
  expect(make).toThrow(/must be an address such as .*got "host:5050\/"/);
});
