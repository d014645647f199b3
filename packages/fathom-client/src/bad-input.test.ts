import { describe, expect, it } from 'vitest';
import { FathomClient } from './client.js';
import { executeFields, inOwnNames } from './request.js';

describe('the name that was meant', () => {
  it('is in the error', () => {
    const client = () => new FathomClient({ url: 'ws://host', tokn: 's' } as never);
    expect(client).toThrow('options.tokn is not known (did you mean token?); known are url, token,');
    const request = { language: 'python', code: '', limits: { memory: 3 } };
    expect(() => executeFields('id', request as never)).toThrow(
      /limits\.memory is not known \(did you mean memoryBytes\?\)/,
    );
  });
});

it.each([
  ['python', "request must be an object such as { language: 'python', code: '…' }."],
  [
    { language: 'python', code: '', timeout: 5 },
    'request.timeout is not known (did you mean limits.timeoutMs?)',
  ],
  [
    { language: 'python', code: '', signal: AbortSignal.abort() },
    'request.signal is not known: give it beside the request, execute(request, { signal }).',
  ],
  [{ language: 'python', code: '', memoryBytes: 5 }, '(did you mean limits.memoryBytes?)'],
])('%j is no request, and what one looks like is told', (request, message) => {
  expect(() => executeFields('id', request as never)).toThrow(message);
});

it.each([
  [{ token: null }, 'options.token must be a string without line breaks'],
  [{ token: 'a\nb' }, 'options.token must be a string without line breaks'],
  [{ reconnect: true }, 'options.reconnect must be an object, or false'],
  [{ reconnect: null }, 'options.reconnect must be an object'],
  [{ reconnect: { firstMs: '100' } }, 'options.reconnect.firstMs must be a number from 0'],
  [{ reconnect: { tries: 3 } }, 'options.reconnect.tries is not known (did you mean triesMax?)'],
  [{ connectTimeoutMs: '5000' }, 'options.connectTimeoutMs must be a number from 1 to 2147483647'],
  [{ connectTimeoutMs: Number.NaN }, 'options.connectTimeoutMs must be a number'],
  [{ connectTimeoutMs: 2 ** 31 }, 'options.connectTimeoutMs must be a number'],
  [{ pingIntervalMs: -1 }, 'options.pingIntervalMs must be a number from 0'],
  [{ pingTimeoutMs: Number.POSITIVE_INFINITY }, 'options.pingTimeoutMs must be a number from 1'],
  [{ outputLengthMax: '1' }, 'options.outputLengthMax must be a whole number from 0 on'],
  [{ openSocket: {} }, 'options.openSocket must be a function'],
  [{ url: Symbol('url') }, 'options.url must be'],
])('%j is refused before anything is connected', (options, message) => {
  expect(() => new FathomClient({ url: 'ws://host', ...options } as never)).toThrow(message);
});

it.each([
  [null, 'options must be an object'],
  [[], 'options must be an object'],
  [new AbortController().signal, 'options must be { signal } for an AbortSignal'],
  [{ signal: 5 }, 'options.signal must be an AbortSignal'],
  [{ timeoutMs: 5 }, 'options.timeoutMs is not known'],
])('a call with %s is refused', async (options, message) => {
  const client = new FathomClient({ url: 'ws://host' });
  expect(() => client.execute({ language: 'python', code: '' }, options as never)).toThrow(message);
  await expect(client.ping(options as never)).rejects.toThrow(message);
});

it("what a server says of limits is told in the caller's names", () => {
  expect(inOwnNames('limits.memory_mb must be an integer from 1 to 1024')).toBe(
    'limits.memoryBytes (here in MiB) must be an integer from 1 to 1024',
  );
  expect(inOwnNames('limits.timeout_ms, limits.other and memory_mb')).toBe(
    'limits.timeoutMs, limits.other and memory_mb',
  );
});

it('an address alone is refused as such', () => {
  expect(() => new FathomClient('ws://host' as never)).toThrow(
    'options must be an object such as { url: … }',
  );
});
