import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Unsent } from '@sbx/serving';
import { expect, test, vi } from 'vitest';
import { emptyResponse, encodedResponse, jsonResponse } from '../../responses.js';
import { sendEarly, sendResponse } from './send.js';

const unsent = new Unsent(1000);

function responseOf(request: object = { readableEnded: true }) {
  const response = Object.assign(new EventEmitter(), {
    req: { socket: {}, ...request },
    destroyed: false,
    writableLength: 0,
    writeHead: vi.fn(),
    write: vi.fn((_chunk: unknown, written?: () => void) => written?.()),
    end: vi.fn(),
  });
  return { response, as: response as unknown as ServerResponse };
}

test('an answer of text goes out at once with its head', async () => {
  const { response, as } = responseOf();
  const answer = jsonResponse(200, '"id"');
  await sendResponse(as, answer, unsent);
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
  const sending = sendResponse(as, encodedResponse({ heldBytes: 7, chunks } as never), unsent);
  expect(unsent.bytes).toBe(7);
  await sending;
  expect(unsent.bytes).toBe(0);
  expect(response.write.mock.calls.map(([chunk]) => String(chunk))).toEqual(['a', 'b']);
  expect(response.end).toHaveBeenCalledOnce();
});

test('text that does not leave at once is counted until it has', async () => {
  const { response, as } = responseOf();
  response.writableLength = 4;
  const sending = sendResponse(as, jsonResponse(200, '"id"'), unsent);
  expect(unsent.bytes).toBe(4);
  response.emit('close');
  await sending;
  expect(unsent.bytes).toBe(0);
});

test('an early one ends the connection', () => {
  const { response, as } = responseOf();
  sendEarly(as, emptyResponse(400));
  expect(response.writeHead.mock.calls).toEqual([[400, { 'Content-Length': 0, Connection: 'close' }]]);
  expect(response.end).toHaveBeenCalledOnce();
});
