import { expect, test, vi } from 'vitest';
import { EngineCore } from './core.js';

vi.mock('./open-files.js', () => ({
  hardOpenFiles() {
    throw new Error('there is no /proc');
  },
}));

test.each(['darwin', 'win32'])('on %s opening says so, before anything of Linux is read', async (name) => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...platform, value: name });
  try {
    await expect(EngineCore.open()).rejects.toMatchObject({
      code: 'SBX_UNSUPPORTED_PLATFORM',
      message: expect.stringContaining(`programs on Linux only; this is ${name}.`),
    });
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
});
