// What a call may ask for, and what it gets where it asks for nothing.
import { createMcpServer } from '@sbx/mcp';
import { expect, test } from 'vitest';
import { TestClient, useServer } from './server.js';

const own = useServer();

test.each([
  ['run_command', { command: 'echo ran' }],
  ['run_code', { language: 'shell', code: 'echo ran' }],
  ['create_sandbox', {}],
])('%s keeps to the ceilings of the server where the engine is the caller’s', async (name, args) => {
  await using server = await createMcpServer({
    port: 0,
    engine: own.server.engine,
    ceilings: { wallTimeMs: 5000 },
  });
  const [url] = (await server.listen()).urls as [string];
  await using client = await TestClient.overHttp(url, 'legacy');
  const ask = (wallTimeMs: number) => client.call(name, { ...args, limits: { wallTimeMs } });
  expect(await ask(5001)).toMatchObject({
    isError: true,
    text: expect.stringContaining('limits.wallTimeMs must be at most 5000, the ceiling'),
  });
  expect(await ask(5000)).toMatchObject({ isError: false });
});

const MiB = 2 ** 20;

test('a ceiling below our limits, or a limit above our ceilings, is what sandboxes have', async () => {
  for (const [options, memoryBytes] of [
    [{ ceilings: { memoryBytes: 64 * MiB } }, 64 * MiB],
    [{ limits: { memoryBytes: 3 * 1024 * MiB }, memoryBytesMax: 2 ** 40 }, 3 * 1024 * MiB],
  ] as const) {
    await using server = await createMcpServer({ port: 0, ...options });
    const [url] = (await server.listen()).urls as [string];
    await using client = await TestClient.overHttp(url, 'legacy');
    expect(await client.call('create_sandbox')).toMatchObject({ isError: false, fields: { memoryBytes } });
  }
});
