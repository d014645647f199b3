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

it('an address alone is refused as such', () => {
  expect(() => new FathomClient('ws://host' as never)).toThrow(
    'options must be an object such as { url: … }',
  );
});
