import { describe, expect, it } from 'vitest';
import { FathomClient } from './client.js';
import { executeFields } from './request.js';

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

it('an address alone is refused as such', () => {
  expect(() => new FathomClient('ws://host' as never)).toThrow(
    'options must be an object such as { url: … }',
  );
});
