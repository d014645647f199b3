/** An addon of other tables is refused before anything is sent by position. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { loadNative } from './native.js';
import { PROTOCOL_VERSION } from './tables.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-addon-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('the addon is of the tables that TypeScript is of', () => {
  expect(loadNative().native.protocolVersion).toBe(PROTOCOL_VERSION);
});

test('an addon of other tables is refused, with what to do', async () => {
  const built = loadNative();
  const bytes = readFileSync(join(built.helperPath, '../sbx.node'));
  const number = Buffer.alloc(8);
  number.writeDoubleLE(PROTOCOL_VERSION);
  for (let at = bytes.indexOf(number); at >= 0; at = bytes.indexOf(number, at))
    bytes.writeDoubleLE(PROTOCOL_VERSION + 1, at);
  writeFileSync(join(folder, 'sbx.node'), bytes);
  copyFileSync(built.helperPath, join(folder, 'sbx-helper'));
  vi.stubEnv('SBX_NATIVE_PATH', folder);
  vi.resetModules();
  const fresh = await import('./native.js');
  expect(() => fresh.loadNative()).toThrow(
    expect.objectContaining({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: expect.stringContaining('another build'),
    }),
  );
  vi.unstubAllEnvs();
});
