/** An addon of other tables is refused before anything is sent by position. */
import { afterAll, expect, test, vi } from 'vitest';
import { loadNative } from './native.js';
import { PROTOCOL_VERSION } from './tables.js';

afterAll(() => {
  vi.doUnmock('./tables.js');
  vi.resetModules();
});

test('the addon is of the tables that TypeScript is of', () => {
  expect(loadNative().native.protocolVersion).toBe(PROTOCOL_VERSION);
});

test('an addon of other tables is refused, with what to do', async () => {
  vi.resetModules();
  vi.doMock('./tables.js', async (original) => ({
    ...(await original<object>()),
    PROTOCOL_VERSION: PROTOCOL_VERSION + 1,
  }));
  const fresh = await import('./native.js');
  expect(() => fresh.loadNative()).toThrow(
    expect.objectContaining({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: expect.stringContaining('another build'),
    }),
  );
});
