import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { startFifoSandbox } from './start.js';

it('rejects with the engine’s own error when it has no room for a sandbox', async () => {
  const overloaded = Object.assign(new Error('256 sandboxes exist'), { code: 'SBX_OVERLOADED' });
  const engine = { createSandbox: () => Promise.reject(overloaded) };
  await expect(startFifoSandbox(engine, 'true')).rejects.toBe(overloaded);
});

it('closes the sandbox when the directory cannot be made', async () => {
  let isClosed = false;
  const sandbox = {
    spawn: () => Promise.reject(new Error('never')),
    close: async () => {
      isClosed = true;
    },
  };
  const engine = { createSandbox: async () => sandbox };
  const options = { dir: '/no/such/parent/dir' };
  await expect(startFifoSandbox(engine, 'true', [], options)).rejects.toMatchObject({
    code: 'SBX_FIFO_DIRECTORY',
  });
  expect(isClosed).toBe(true);
});

it('says which directory cannot be made when it is given none', async () => {
  vi.stubEnv('TMPDIR', '/no/such');
  const sandbox = { spawn: () => Promise.reject(new Error('never')), close: async () => undefined };
  await expect(startFifoSandbox({ createSandbox: async () => sandbox }, 'true')).rejects.toMatchObject({
    code: 'SBX_FIFO_DIRECTORY',
    message: expect.stringContaining('/no/such/sbx-fifo-'),
  });
  vi.unstubAllEnvs();
});

it('answers for a program that cannot be started', async () => {
  const sandbox = { spawn: () => Promise.reject(new Error('There is none.')), close: async () => undefined };
  const manager = await startFifoSandbox({ createSandbox: async () => sandbox }, 'none');
  expect(manager.reading().status).toBe('process not started; There is none');
  await manager.close();
  expect(existsSync(manager.dir)).toBe(false);
});
