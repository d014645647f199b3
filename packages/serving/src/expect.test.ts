import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { continueWhenRead } from './expect.js';

function expecting() {
  const request = new EventEmitter();
  const response = { shouldKeepAlive: true, headersSent: false, writeContinue: vi.fn() };
  continueWhenRead(request as IncomingMessage, response as unknown as ServerResponse);
  return { request, response };
}

test.each(['data', 'readable'])('who reads by %s asks for the body, once', (event) => {
  const { request, response } = expecting();
  request.on('close', () => undefined);
  expect(response.writeContinue).not.toHaveBeenCalled();
  request.on(event, () => undefined);
  request.on(event, () => undefined);
  expect(response.writeContinue).toHaveBeenCalledOnce();
  expect(response.shouldKeepAlive).toBe(true);
});

test('a body that nobody asked for ends the connection', () => {
  const { request, response } = expecting();
  response.headersSent = true;
  request.on('data', () => undefined);
  expect(response.writeContinue).not.toHaveBeenCalled();
  expect(response.shouldKeepAlive).toBe(false);
});
