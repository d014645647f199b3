// Clients that ask before they send a body: `Expect: 100-continue`, as curl does with large ones.
import { type IncomingHttpHeaders, request } from 'node:http';
import { expect, test } from 'vitest';
import { cmd, useServer } from './server.js';

const server = useServer({ token: 's3cret' });

const RUN = JSON.stringify({ cmd: [cmd(['/bin/true'])] });
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhello\r\n--b--\r\n';
const TOKEN = { authorization: 'Bearer s3cret' };

interface Heard {
  status: number;
  headers: IncomingHttpHeaders;
  asked: boolean;
}

/** Sends `body` once it is asked for. */
function ask(path: string, body: string, headers: Record<string, string>): Promise<Heard> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const length = String(Buffer.byteLength(body));
    const sent = request(server.url + path, {
      method: 'POST',
      headers: { ...headers, expect: '100-continue', 'content-length': length, connection: 'keep-alive' },
    });
    sent.on('continue', () => {
      asked = true;
      sent.end(body);
    });
    sent.on('response', (response) => {
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode!, headers: response.headers, asked }));
      if (!asked) sent.destroy();
    });
    sent.on('error', (error) => (sent.destroyed ? undefined : reject(error)));
    sent.flushHeaders();
  });
}

test.each([
  ['/run', RUN, TOKEN, 200],
  ['/file', FILE, { ...TOKEN, 'content-type': 'multipart/form-data; boundary=b' }, 200],
])('%s asks for the body when it is read, and the connection stays', async (path, body, headers, status) => {
  expect(await ask(path, body, headers)).toMatchObject({
    status,
    asked: true,
    headers: { connection: 'keep-alive' },
  });
});

test.each([
  ['without the token', '/run', {}, 401],
  ['for what is not there', '/nothing', TOKEN, 404],
])('%s nobody is asked for the body, and the connection ends', async (_why, path, headers, status) => {
  expect(await ask(path, RUN, headers)).toMatchObject({
    status,
    asked: false,
    headers: { connection: 'close' },
  });
});
