import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { openLog } from '../process/log.js';
import { RequestLog } from './request-log.js';

function opened() {
  const target = new PassThrough({ encoding: 'utf8' });
  const lines = () =>
    ((target.read() as string) ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { requests: new RequestLog(openLog(target, false).debug), lines };
}
const durationMs = expect.any(Number);

test('a request is a line, and metrics see it as before', () => {
  const { requests, lines } = opened();
  const observed = vi.fn();
  const watch = requests.before({ watchHttp: () => observed, watchSimple: () => observed });
  watch.watchSimple('POST', 12, '/run')('/run', 200, 34);
  const request = { method: 'GET', url: '/file/A?token=secret' } as IncomingMessage;
  watch.watchHttp(request, { statusCode: 404 } as ServerResponse)('/file/:fid');
  expect(observed.mock.calls).toEqual([['/run', 200, 34], ['/file/:fid']]);
  expect(lines()).toMatchObject([
    { level: 20, method: 'POST', path: '/run', status: 200, durationMs, msg: 'request' },
    { level: 20, method: 'GET', path: '/file/A', status: 404, durationMs, msg: 'request' },
  ]);
});

test('a WebSocket is one when it ends; names and queries that could be secrets are left out', async () => {
  const { requests, lines } = opened();
  const socket = new PassThrough();
  requests.watchSocket({ url: 'http://user:secret@host/ws?x=secret' } as IncomingMessage, socket);
  socket.destroy();
  await new Promise(setImmediate);
  const [line] = lines();
  expect(line).toMatchObject({ method: 'GET', path: '/ws', durationMs, msg: 'connection closed' });
  expect(JSON.stringify(line)).not.toContain('secret');
});
