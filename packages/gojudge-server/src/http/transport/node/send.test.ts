import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { emptyResponse, encodedResponse, jsonResponse } from '../../responses.js';
import { sendEarly, sendResponse } from './send.js';

function responseOf(request: object = { readableEnded: true }) {
  const response = Object.assign(new EventEmitter(), {
    req: request,
    destroyed: false,
    writeHead: vi.fn(),
    write: vi.fn((_chunk: unknown, written?: () => void) => written?.()),
    end: vi.fn(),
  });
  return { response, as: response as unknown as ServerResponse };
}

test('an answer of text goes out at once with its head', async () => {
  const { response, as } = responseOf();
  const answer = jsonResponse(200, '"id"');
  await sendResponse(as, answer);
  expect(response.writeHead.mock.calls).toEqual([[200, answer.headers]]);
  expect(response.end.mock.calls).toEqual([['"id"']]);
});

test('a large one goes out in chunks, until the client has it', async () => {
  const { response, as } = responseOf();
  response.end.mockImplementation(() => void response.emit('close'));
  const chunks = function* () {
    yield Buffer.from('a');
    yield Buffer.from('b');
  };
  await sendResponse(as, encodedResponse(chunks as never));
  expect(response.write.mock.calls.map(([chunk]) => String(chunk))).toEqual(['a', 'b']);
  expect(response.end).toHaveBeenCalledOnce();
});

test('an early one ends the connection', () => {
  const { response, as } = responseOf();
  sendEarly(as, emptyResponse(400));
  expect(response.writeHead.mock.calls).toEqual([[400, { 'Content-Length': 0, Connection: 'close' }]]);
  expect(response.end).toHaveBeenCalledOnce();
});
